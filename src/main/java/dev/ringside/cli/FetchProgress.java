package dev.ringside.cli;

import dev.ringside.download.DownloadProgress;
import dev.ringside.download.DownloadProgress.Phase;
import java.io.PrintWriter;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Progress of downloads: a bar for each file on a terminal, a line every few seconds elsewhere, such as in the log of a container. */
final class FetchProgress implements Consumer<DownloadProgress>, AutoCloseable {

    private static final long INTERVAL_NANOS = 5_000_000_000L;

    private final PrintWriter err;
    private final boolean terminal;
    private @Nullable ProgressBar bar;
    private int part;
    private long shown;
    private @Nullable Phase phase;
    private long printedAt = System.nanoTime() - INTERVAL_NANOS;

    FetchProgress(PrintWriter err, boolean terminal) {
        this.err = err;
        this.terminal = terminal;
    }

    @Override
    public void accept(DownloadProgress progress) {
        if (terminal && progress.phase() == Phase.DOWNLOADING && progress.totalBytes() >= 0) {
            draw(progress);
        } else if (!terminal) {
            print(progress);
        }
    }

    private void draw(DownloadProgress progress) {
        ProgressBar current = bar;
        if (current == null || part != progress.part() || progress.bytes() < shown) {
            close();
            part = progress.part();
            shown = 0;
            String name = progress.parts() > 1 ? "File " + part + " of " + progress.parts() : "Downloading";
            current = ProgressBar.ofBytes(err, true, name, progress.totalBytes());
            bar = current;
        }
        current.advance(progress.bytes() - shown);
        shown = progress.bytes();
    }

    private void print(DownloadProgress progress) {
        long now = System.nanoTime();
        boolean begins = progress.phase() != phase && progress.phase() != Phase.CONNECTING;
        phase = progress.phase();
        if (begins || now - printedAt >= INTERVAL_NANOS) {
            printedAt = now;
            err.println(progress.source() + ": " + progress.text());
            err.flush();
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}
