package dev.ringside.expert;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** What other threads want done between two gathers. */
final class ExpertRequests {

    private record Request(Supplier<Integer> action, CompletableFuture<Integer> answer) {}

    private final ConcurrentLinkedQueue<Request> queue = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    boolean isEmpty() {
        return queue.isEmpty();
    }

    CompletableFuture<Integer> add(Supplier<Integer> action) {
        Request request = new Request(action, new CompletableFuture<>());
        queue.add(request);
        if (closed) {
            refuseAll();
        }
        return request.answer();
    }

    /** By the thread that gathers. A request that fails tells the one who made it and nobody else. */
    void apply() {
        Request request;
        while ((request = queue.poll()) != null) {
            try {
                request.answer().complete(request.action().get());
            } catch (RuntimeException e) {
                request.answer().completeExceptionally(e);
            }
        }
    }

    void close() {
        closed = true;
        refuseAll();
    }

    private void refuseAll() {
        Request request;
        while ((request = queue.poll()) != null) {
            request.answer().completeExceptionally(new IllegalStateException("The expert fetcher is closed"));
        }
    }
}
