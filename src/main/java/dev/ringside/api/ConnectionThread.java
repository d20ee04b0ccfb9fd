package dev.ringside.api;

import dev.ringside.serving.Delivery;
import io.netty.util.concurrent.EventExecutor;
import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the clients of one thread of the server receive their events. The tokens of a step come all at once, so the thread is woken when the first
 * is expected, has what they need in its caches when they come, and takes together what has come while it was busy. Thread safe.
 */
final class ConnectionThread implements Delivery.Foreseeing, Runnable {

    private static final Logger log = LoggerFactory.getLogger(ConnectionThread.class);
    private static final int USUAL = 64;

    private final EventExecutor thread;
    // From here on: under the lock.
    private @Nullable Runnable[] tasks = new @Nullable Runnable[USUAL];
    private int taskCount;
    private Delivery.@Nullable Task[] expected = new Delivery.@Nullable Task[USUAL];
    private int expectedCount;
    /** Whether {@link #run} was called, and has not yet found that there is nothing to do. */
    private boolean called;
    // From here on: of the thread.
    private @Nullable Runnable[] takenTasks = new @Nullable Runnable[USUAL];
    private Delivery.@Nullable Task[] takenExpected = new Delivery.@Nullable Task[USUAL];
    /** Keeps what was read ahead from being left out. */
    @SuppressWarnings("UnusedVariable")
    private int readAhead;

    ConnectionThread(EventExecutor thread) {
        this.thread = thread;
    }

    @Override
    public void expect(Delivery.Task task) {
        boolean call;
        synchronized (this) {
            if (expectedCount == expected.length) {
                expected = Arrays.copyOf(expected, 2 * expectedCount);
            }
            expected[expectedCount++] = task;
            call = !called;
            called = true;
        }
        if (call) {
            call();
        }
    }

    @Override
    public void execute(Runnable task) {
        boolean call;
        synchronized (this) {
            if (taskCount == tasks.length) {
                tasks = Arrays.copyOf(tasks, 2 * taskCount);
            }
            tasks[taskCount++] = task;
            call = !called;
            called = true;
        }
        if (call) {
            call();
        }
    }

    private void call() {
        try {
            thread.execute(this);
        } catch (RejectedExecutionException e) {
            @Nullable Runnable[] left;
            synchronized (this) {
                left = Arrays.copyOf(tasks, taskCount);
                Arrays.fill(tasks, null);
                Arrays.fill(expected, null);
                taskCount = 0;
                expectedCount = 0;
                called = false;
            }
            for (@Nullable Runnable each : left) {
                if (each instanceof Delivery.Task task) {
                    task.undeliverable();
                }
            }
        }
    }

    @Override
    public void run() {
        while (true) {
            @Nullable Runnable[] now;
            Delivery.@Nullable Task[] soon;
            int nowCount;
            int soonCount;
            synchronized (this) {
                now = tasks;
                nowCount = taskCount;
                soon = expected;
                soonCount = expectedCount;
                if (nowCount == 0 && soonCount == 0) {
                    called = false;
                    return;
                }
                tasks = takenTasks;
                taskCount = 0;
                expected = takenExpected;
                expectedCount = 0;
            }
            for (int i = 0; i < soonCount; i++) {
                Delivery.Task task = soon[i];
                soon[i] = null;
                readAhead += task == null ? 0 : task.lookAhead();
            }
            for (int i = 0; i < nowCount; i++) {
                Runnable task = now[i];
                now[i] = null;
                if (task != null) {
                    run(task);
                }
            }
            takenTasks = now;
            takenExpected = soon;
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            log.warn("Events could not be delivered", e);
        }
    }
}
