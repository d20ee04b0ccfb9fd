package dev.ringside.expert;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Runs every step of a shutdown even if one fails, and throws the first failure with the others suppressed. */
final class Closing {

    private @Nullable RuntimeException failure;

    void run(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            if (failure == null) {
                failure = e;
            } else {
                failure.addSuppressed(e);
            }
        }
    }

    void finish() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Adds what failed to an exception that is already on its way. */
    void addTo(Throwable cause) {
        if (failure != null) {
            cause.addSuppressed(failure);
        }
    }

    /** What was opened, to be closed in reverse. */
    static final class Stack implements AutoCloseable {

        private final Deque<Runnable> steps = new ArrayDeque<>();

        void later(Runnable step) {
            steps.push(step);
        }

        /** Adds what is to be closed and gives it back. */
        <T extends AutoCloseable> T push(T opened) {
            steps.push(() -> close(opened));
            return opened;
        }

        private static void close(AutoCloseable opened) {
            try {
                opened.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        /** Closes everything because of a failure that is already on its way. */
        void closeAfter(RuntimeException cause) {
            Closing closing = new Closing();
            closing.run(this::close);
            closing.addTo(cause);
        }

        @Override
        public void close() {
            Closing closing = new Closing();
            while (!steps.isEmpty()) {
                closing.run(steps.pop());
            }
            closing.finish();
        }
    }
}
