package dev.ringside.download;

import dev.ringside.download.DownloadProgress.Phase;
import java.util.function.Consumer;

/** Tells a listener how far a download is: at every change of phase, and ten times a second while bytes come. One thread. */
final class ProgressMeter {

    private static final long INTERVAL_NANOS = 100_000_000;
    private static final double SMOOTHING = 0.1;

    private final String source;
    private final int parts;
    private final Consumer<DownloadProgress> listener;
    private int part;
    private Phase phase = Phase.CONNECTING;
    private long bytes;
    private long total = FileFacts.UNKNOWN;
    private double rate;
    private long toldAt = System.nanoTime();
    private long toldBytes;

    ProgressMeter(String source, int parts, Consumer<DownloadProgress> listener) {
        this.source = source;
        this.parts = parts;
        this.listener = listener;
    }

    void file(int number) {
        part = number;
        bytes = 0;
        total = FileFacts.UNKNOWN;
        rate = 0;
    }

    /** @param size of the whole file, or -1 */
    void phase(Phase next, long here, long size) {
        phase = next;
        total = size;
        bytes = here;
        toldBytes = here;
        toldAt = System.nanoTime();
        tell();
    }

    void bytes(long here) {
        bytes = here;
        long now = System.nanoTime();
        if (now - toldAt >= INTERVAL_NANOS) {
            double latest = (here - toldBytes) * 1e9 / (now - toldAt);
            rate = rate == 0 ? latest : rate + SMOOTHING * (latest - rate);
            toldAt = now;
            toldBytes = here;
            tell();
        }
    }

    private void tell() {
        listener.accept(new DownloadProgress(source, phase, part, parts, bytes, total, Math.max(0, Math.round(rate))));
    }
}
