package dev.ringside.download;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Closes a stream on which nothing has come for too long: Java's client has no time limit for bodies. */
final class StallGuard implements AutoCloseable {

    private final InputStream body;
    private final long patienceNanos;
    private final Thread watcher;
    private volatile long heardAt = System.nanoTime();
    private volatile boolean done;
    private volatile boolean stalled;

    StallGuard(InputStream body, Duration patience) {
        this.body = body;
        this.patienceNanos = patience.toNanos();
        this.watcher = Thread.ofVirtual().name("ringside-download-guard").start(this::watch);
    }

    /** Something came. */
    void heard() {
        heardAt = System.nanoTime();
    }

    boolean hasStalled() {
        return stalled;
    }

    private void watch() {
        while (!done) {
            long left = heardAt + patienceNanos - System.nanoTime();
            if (left <= 0) {
                stalled = true;
                try {
                    body.close();
                } catch (IOException _) {
                    // The reader hears of it.
                }
                return;
            }
            LockSupport.parkNanos(left);
        }
    }

    @Override
    public void close() {
        done = true;
        LockSupport.unpark(watcher);
    }
}
