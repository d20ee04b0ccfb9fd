package dev.ringside.gpu;

import org.jspecify.annotations.Nullable;

/** Runs every step of a shutdown even if one fails, and throws the first failure with the others suppressed. */
public final class Closing {

    private @Nullable RuntimeException failure;

    public void run(Runnable step) {
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

    /** Throws what failed, if anything did. */
    public void finish() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Adds what failed to an exception that is already on its way. */
    public void addTo(Throwable cause) {
        if (failure != null) {
            cause.addSuppressed(failure);
        }
    }
}
