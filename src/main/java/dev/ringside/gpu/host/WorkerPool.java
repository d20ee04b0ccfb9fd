package dev.ringside.gpu.host;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads that share the work of one operation at a time, with a spin-then-park barrier: handing a small matrix to an executor costs more
 * than multiplying it.
 *
 * <p>The calling thread is worker 0. Items are cut into contiguous chunks of whole grains, about four for each worker, and workers claim them
 * one by one, so that a worker that is parked or has lost its core delays nobody. Which worker does a chunk must not matter to the result.
 *
 * <p>A call made while the pool is busy for another thread runs wholly on its caller, as worker 0. Tasks must not call {@link #run} of
 * their own pool with scratch memory they are using themselves.
 */
final class WorkerPool implements AutoCloseable {

    /** Long enough to bridge the gap between two operations of a step, short enough for an idle server to be idle. */
    private static final long SPIN_NANOS = 50_000;
    private static final int CHUNKS_PER_WORKER = 4;

    // Slots of `state`, 128 bytes apart so that spinning workers do not slow finishing ones.
    private static final int TICKET = 16;
    private static final int PENDING = 32;
    private static final int BUSY = 48;
    private static final int SLOTS = 64;
    private static final long REMAINING_MASK = 0xFFFF_FFFFL;

    /**
     * The ticket holds the number of the run in its upper half and the unclaimed chunks in its lower half: both change together, so a late
     * worker cannot claim a chunk of a run that is over.
     */
    private final AtomicLongArray state = new AtomicLongArray(SLOTS);
    private final Worker[] workers;
    private final int threads;
    private final long spinNanos;

    // Written before the ticket, read after a chunk is claimed, unchanged until all chunks are done.
    private @Nullable ParallelTask task;
    private int items;
    private int chunkItems;

    private volatile @Nullable Thread waiter;
    private volatile @Nullable Throwable failure;
    private volatile boolean closed;

    /** @param threads workers, the caller of {@link #run} included */
    WorkerPool(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("A worker pool needs at least 1 thread, got " + threads);
        }
        this.threads = threads;
        this.spinNanos = threads <= Runtime.getRuntime().availableProcessors() ? SPIN_NANOS : 0;
        this.workers = new Worker[threads - 1];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i + 1);
        }
        for (Worker worker : workers) {
            worker.thread.start();
        }
    }

    int threads() {
        return threads;
    }

    /**
     * Does the items 0 to {@code items} - 1 and returns when all are done. When a chunk fails, chunks not yet begun are left out and its
     * exception is thrown here once all workers have stopped.
     *
     * @param grain fewest items worth handing to a thread; chunks begin at multiples of it
     */
    void run(ParallelTask work, int count, int grain) {
        if (count <= 0) {
            return;
        }
        if (count <= grain || threads == 1 || !state.compareAndSet(BUSY, 0, 1)) {
            work.run(0, 0, count);
            return;
        }
        try {
            share(work, count, grain);
        } finally {
            state.setRelease(BUSY, 0);
        }
    }

    private void share(ParallelTask work, int count, int grain) {
        if (closed) {
            throw new IllegalStateException("The worker pool is closed");
        }
        int grains = (int) (((long) count + grain - 1) / grain);
        int wanted = Math.min(grains, threads * CHUNKS_PER_WORKER);
        int size = Math.multiplyExact((grains + wanted - 1) / wanted, grain);
        int chunks = (int) (((long) count + size - 1) / size);
        task = work;
        items = count;
        chunkItems = size;
        state.setPlain(PENDING, chunks);
        long epoch = (state.getPlain(TICKET) >>> 32) + 1;
        state.set(TICKET, epoch << 32 | chunks);
        wake(chunks - 1);
        while (claimAndRun(0)) {
            // until no chunk is left
        }
        awaitPending();
        task = null;
        Throwable thrown = failure;
        if (thrown != null) {
            failure = null;
            rethrow(thrown);
        }
    }

    private void wake(int useful) {
        int count = Math.min(useful, workers.length);
        for (int i = 0; i < count; i++) {
            if (workers[i].parked) {
                LockSupport.unpark(workers[i].thread);
            }
        }
    }

    private boolean claimAndRun(int worker) {
        long ticket = state.get(TICKET);
        long remaining = ticket & REMAINING_MASK;
        if (remaining == 0) {
            return false;
        }
        if (state.compareAndSet(TICKET, ticket, ticket - 1)) {
            int to = (int) Math.min(items, remaining * chunkItems);
            int from = (int) ((remaining - 1) * chunkItems);
            ParallelTask work = task;
            try {
                if (failure == null && work != null) {
                    work.run(worker, from, to);
                }
            } catch (Throwable thrown) {
                fail(thrown);
            }
            if (state.decrementAndGet(PENDING) == 0) {
                Thread waiting = waiter;
                if (waiting != null) {
                    LockSupport.unpark(waiting);
                }
            }
        }
        return true;
    }

    private synchronized void fail(Throwable thrown) {
        if (failure == null) {
            failure = thrown;
        }
    }

    private static void rethrow(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown instanceof RuntimeException exception) {
            throw exception;
        }
        throw new IllegalStateException(thrown);
    }

    private void awaitPending() {
        if (state.get(PENDING) == 0 || spinUntil(PENDING, false)) {
            return;
        }
        waiter = Thread.currentThread();
        while (state.get(PENDING) != 0) {
            LockSupport.park(this);
        }
        waiter = null;
    }

    /** Spins until the slot's lower half is not zero (or is, when {@code set} is false); false when the time is over. */
    private boolean spinUntil(int slot, boolean set) {
        long start = System.nanoTime();
        do {
            for (int i = 0; i < 32; i++) {
                if (((state.getAcquire(slot) & REMAINING_MASK) != 0) == set) {
                    return true;
                }
                Thread.onSpinWait();
            }
        } while (System.nanoTime() - start < spinNanos);
        return false;
    }

    /** Stops the threads. Idempotent; must not be called while {@link #run} is. */
    @Override
    public void close() {
        closed = true;
        boolean interrupted = false;
        for (Worker worker : workers) {
            LockSupport.unpark(worker.thread);
        }
        for (Worker worker : workers) {
            while (worker.thread.isAlive() && worker.thread != Thread.currentThread()) {
                try {
                    worker.thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Worker implements Runnable {

        private final int index;
        private final Thread thread;
        private volatile boolean parked;

        Worker(int index) {
            this.index = index;
            this.thread = Thread.ofPlatform().daemon().name("ringside-cpu-" + index).unstarted(this);
        }

        @Override
        public void run() {
            while (!closed) {
                if (!claimAndRun(index) && !spinUntil(TICKET, true)) {
                    parked = true;
                    if ((state.get(TICKET) & REMAINING_MASK) == 0 && !closed) {
                        LockSupport.park(WorkerPool.this);
                    }
                    parked = false;
                }
            }
        }
    }
}
