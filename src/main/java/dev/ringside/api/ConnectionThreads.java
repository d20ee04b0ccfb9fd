package dev.ringside.api;

import io.netty.util.concurrent.EventExecutor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The threads of the server on which events are delivered, of which there are a few for as long as it runs. Thread safe. */
final class ConnectionThreads {

    private final Map<EventExecutor, ConnectionThread> threads = new ConcurrentHashMap<>();

    ConnectionThread of(EventExecutor thread) {
        return threads.computeIfAbsent(thread, ConnectionThread::new);
    }
}
