package dev.ringside.cli;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * Progress of long work on standard error: one line that is drawn over again on a terminal, a plain line each tenth of the work elsewhere
 * (a log, a pipe). Shows share, rate and the time left.
 */
final class ProgressBar implements AutoCloseable {

    private static final int WIDTH = 30;
    private static final long REDRAW_NANOS = 100_000_000;

    private final PrintWriter out;
    private final boolean terminal;
    private final String what;
    private final long total;
    private final boolean bytes;
    private final long start = System.nanoTime();
    private long done;
    private long drawn = start - REDRAW_NANOS;
    private int tenths;
    private boolean closed;

    private ProgressBar(PrintWriter out, boolean terminal, String what, long total, boolean bytes) {
        this.out = out;
        this.terminal = terminal;
        this.what = what;
        this.total = Math.max(1, total);
        this.bytes = bytes;
    }

    /** Progress in bytes. */
    static ProgressBar ofBytes(PrintWriter out, boolean terminal, String what, long total) {
        return new ProgressBar(out, terminal, what, total, true);
    }

    /** Progress in steps. */
    static ProgressBar ofSteps(PrintWriter out, boolean terminal, String what, long total) {
        return new ProgressBar(out, terminal, what, total, false);
    }

    /** Whether somebody looks at a terminal. */
    @SuppressWarnings("SystemConsoleNull") // JDK 25 gives null again where there is no terminal
    static boolean onTerminal() {
        return System.console() != null && System.console().isTerminal();
    }

    /** So much more is done. */
    void advance(long amount) {
        done = Math.min(total, done + amount);
        long now = System.nanoTime();
        if (terminal) {
            if (now - drawn >= REDRAW_NANOS) {
                drawn = now;
                draw(now);
            }
        } else if (done * 10 / total > tenths) {
            tenths = (int) (done * 10 / total);
            out.println(what + ": " + tenths * 10 + " %, " + rate(now));
            out.flush();
        }
    }

    private void draw(long now) {
        int full = (int) (done * WIDTH / total);
        double seconds = (now - start) / 1e9;
        String left = done == 0 ? "" : ", " + time(seconds * (total - done) / done) + " left";
        out.print("\r" + what + " [" + "=".repeat(full) + " ".repeat(WIDTH - full) + "] " + done * 100 / total + " %, " + rate(now) + left
                + "   ");
        out.flush();
    }

    private String rate(long now) {
        double seconds = Math.max(1e-9, (now - start) / 1e9);
        return bytes
                ? ByteSize.text(done) + " of " + ByteSize.text(total) + ", " + ByteSize.text((long) (done / seconds)) + "/s"
                : done + " of " + total;
    }

    private static String time(double seconds) {
        long whole = Math.round(seconds);
        return whole < 60 ? whole + " s" : String.format(Locale.ROOT, "%d:%02d min", whole / 60, whole % 60);
    }

    /** Ends the line. */
    @Override
    public void close() {
        if (terminal && !closed) {
            draw(System.nanoTime());
            out.println();
            out.flush();
        }
        closed = true;
    }
}
