package dev.ringside.model;

import org.jspecify.annotations.Nullable;

/** Closing what a failed load had already taken. */
final class Closing {

    private Closing() {}

    /** Closes the part; a failure of that is added to the one that is on its way. */
    static void after(Throwable failure, @Nullable AutoCloseable part) {
        try {
            if (part != null) {
                part.close();
            }
        } catch (Exception ex) {
            failure.addSuppressed(ex);
        }
    }
}
