package dev.ringside.model;

import java.util.Locale;

/**
 * How far the loading of a model is.
 *
 * @param done tensors or experts that are in place
 * @param total of them in all; tensors that the model turns out not to need count too
 * @param bytes of those that are in place, 0 for experts
 * @param totalBytes of all of them
 */
public record LoadProgress(Phase phase, int done, int total, long bytes, long totalBytes) {

    private static final double GIB = 1L << 30;

    /** What is being brought in. */
    public enum Phase {
        /** Weights that every token needs. */
        WEIGHTS,
        /** Experts that an earlier run found worth having. */
        EXPERTS
    }

    /** Hears of it, on the thread that loads. */
    @FunctionalInterface
    public interface Listener {

        /** Nobody listens. */
        Listener NONE = _ -> {};

        void progressed(LoadProgress now);
    }

    /** 0 to 100, by bytes where they are known. */
    public int percent() {
        double share = totalBytes > 0 ? (double) bytes / totalBytes : total > 0 ? (double) done / total : 1;
        return (int) Math.min(100, 100 * share);
    }

    /** For people: {@code loading weights 17 %, 120 of 579 tensors, 3.2 of 18.5 GiB}. */
    public String text() {
        return switch (phase) {
            case WEIGHTS ->
                String.format(Locale.ROOT, "loading weights %d %%, %,d of %,d tensors, %.1f of %.1f GiB", percent(), done, total,
                        bytes / GIB, totalBytes / GIB);
            case EXPERTS -> String.format(Locale.ROOT, "pre-warming experts %d %%, %,d of %,d", percent(), done, total);
        };
    }
}
