package dev.ringside.expert;

import org.jspecify.annotations.Nullable;

/**
 * Long-lived threads that read experts. One urgent job at a time is spread over them, and the thread that waits for it helps. A background
 * job runs beside it on at most {@code threads - max(1, threads / 4)} of them, and never while parts of an urgent one are waiting, so that
 * an urgent read always finds a reader.
 *
 * <p>Plain monitors: a read takes hundreds of microseconds, and they allocate nothing.
 */
final class ReaderPool implements AutoCloseable {

    /** Work in numbered parts, each run once, by any thread. Must not throw. */
    interface Job {

        void run(int part);

        /** Called instead of {@link #run} for parts of a background job that was cancelled. */
        default void skipped(int part) {
            // Nothing was done for it.
        }
    }

    private static final Runnable NOTHING = () -> {
        // Nobody wants to know.
    };

    private static final class Queue {

        private @Nullable Job job;
        private int parts;
        private int taken;
        private int finished;
        /** Whether somebody waits for single parts rather than for the last one. */
        private boolean followed;

        private boolean waiting() {
            return job != null && taken < parts;
        }
    }

    private final Thread[] threads;
    private final Object lock = new Object();
    private final Queue urgent = new Queue();
    private final Queue background = new Queue();
    private final int backgroundLimit;
    private int backgroundReaders;
    private boolean closed;

    /** @param parallelism threads that read, the waiting one included; with 0 or 1 there are no others */
    ReaderPool(int parallelism) {
        threads = new Thread[Math.max(0, parallelism - 1)];
        backgroundLimit = Math.min(threads.length, parallelism() - Math.max(1, parallelism() / 4));
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Thread.ofPlatform().daemon().name("expert-reader-" + (i + 1)).start(this::serve);
        }
    }

    /** Threads that read, the waiting one included. */
    int parallelism() {
        return threads.length + 1;
    }

    /** Most threads that read in the background; 0 when there is no background. */
    int backgroundLimit() {
        return backgroundLimit;
    }

    /** Begins an urgent job; the one before must be finished. Returns at once: without other threads nothing runs before {@link #finish}. */
    void start(Job work, int count) {
        begin(urgent, work, count);
    }

    /** Begins a background job; the one before must be finished. */
    void startBackground(Job work, int count) {
        if (backgroundLimit == 0) {
            throw new IllegalStateException("Background reads need at least two reader threads");
        }
        begin(background, work, count);
    }

    private void begin(Queue queue, Job work, int count) {
        synchronized (lock) {
            if (closed || queue.job != null) {
                throw new IllegalStateException(closed ? "The reader pool is closed" : "A read job is still running");
            }
            queue.job = work;
            queue.parts = count;
            queue.taken = 0;
            queue.finished = 0;
            lock.notifyAll();
        }
    }

    /** Helps with the urgent job and returns when all its parts have run. Not cut short by interrupts: readers own the memory until then. */
    void finish() {
        finish(urgent, NOTHING);
    }

    /**
     * As {@link #finish()}.
     *
     * @param progress called in this thread whenever parts have run; must not throw
     */
    void finish(Runnable progress) {
        finish(urgent, progress);
    }

    /** Whether the background job has run, or there is none; when it has, a new one may begin. */
    boolean backgroundDone() {
        synchronized (lock) {
            if (background.job != null && background.finished == background.parts) {
                background.job = null;
            }
            return background.job == null;
        }
    }

    /** Makes the background job an urgent one: helps with it and returns when all its parts have run. */
    void finishBackground() {
        finish(background, NOTHING);
    }

    /** Skips the parts of the background job that have not begun. Those that have go on; does not wait for them. */
    void cancelBackground() {
        while (true) {
            Job work;
            int part;
            synchronized (lock) {
                if (background.job == null || background.taken == background.parts) {
                    return;
                }
                work = background.job;
                part = background.taken++;
            }
            try {
                work.skipped(part);
            } finally {
                ran(background);
            }
        }
    }

    private void finish(Queue queue, Runnable progress) {
        while (true) {
            Job work;
            int part;
            synchronized (lock) {
                if (queue.job == null) {
                    return;
                }
                if (queue.taken == queue.parts) {
                    break;
                }
                work = queue.job;
                part = queue.taken++;
            }
            run(queue, work, part);
            progress.run();
        }
        for (int seen = 0; !awaitMore(queue, seen, progress);) {
            seen = finished(queue);
            progress.run();
        }
    }

    private int finished(Queue queue) {
        synchronized (lock) {
            return queue.finished;
        }
    }

    /** Waits until more than {@code seen} parts have run; true, with the job gone, when all have. */
    private boolean awaitMore(Queue queue, int seen, Runnable progress) {
        boolean interrupted = false;
        boolean all;
        synchronized (lock) {
            queue.followed = !progress.equals(NOTHING);
            while (queue.finished < queue.parts && (queue.finished == seen || !queue.followed)) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            all = queue.finished == queue.parts;
            if (all) {
                queue.job = null;
                queue.followed = false;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return all;
    }

    private void serve() {
        while (true) {
            Queue queue;
            Job work;
            int part;
            synchronized (lock) {
                queue = next();
                if (queue == null || queue.job == null) {
                    return;
                }
                work = queue.job;
                part = queue.taken++;
                if (queue.equals(background)) {
                    backgroundReaders++;
                }
            }
            run(queue, work, part);
            if (queue.equals(background)) {
                synchronized (lock) {
                    backgroundReaders--;
                    lock.notifyAll();
                }
            }
        }
    }

    /** The queue to take a part of, urgent before background; null once the pool is closed. */
    private @Nullable Queue next() {
        synchronized (lock) {
            while (!closed) {
                if (urgent.waiting()) {
                    return urgent;
                }
                if (background.waiting() && backgroundReaders < backgroundLimit) {
                    return background;
                }
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    // Only close() ends these threads.
                }
            }
            return null;
        }
    }

    private void run(Queue queue, Job work, int part) {
        try {
            work.run(part);
        } finally {
            ran(queue);
        }
    }

    private void ran(Queue queue) {
        synchronized (lock) {
            queue.finished++;
            if (queue.finished == queue.parts || queue.followed) {
                lock.notifyAll();
            }
        }
    }

    /** Parts of urgent jobs that no reader has taken yet. */
    int urgentDepth() {
        synchronized (lock) {
            return urgent.job == null ? 0 : urgent.parts - urgent.taken;
        }
    }

    /** Parts of background jobs that no reader has taken yet. */
    int backgroundDepth() {
        synchronized (lock) {
            return background.job == null ? 0 : background.parts - background.taken;
        }
    }

    /** Ends the threads once the jobs in hand are finished; what has not begun of the background one is skipped. Idempotent. */
    @Override
    public void close() {
        finish();
        cancelBackground();
        finishBackground();
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
