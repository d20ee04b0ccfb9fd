package dev.ringside.expert;

import dev.ringside.gpu.Closing;
import java.util.ArrayDeque;
import java.util.Deque;

/** What was opened, to be closed in reverse. */
final class ClosingStack implements AutoCloseable {

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
