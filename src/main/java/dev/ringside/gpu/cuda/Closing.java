package dev.ringside.gpu.cuda;

import org.jspecify.annotations.Nullable;

/** Runs every step of a close even when some fail, then throws the first failure with the others suppressed. */
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
}
