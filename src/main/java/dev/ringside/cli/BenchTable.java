package dev.ringside.cli;

import java.io.PrintWriter;
import java.util.Locale;

/** A {@link BenchReport} for people. */
final class BenchTable {

    private BenchTable() {}

    static void print(BenchReport report, PrintWriter out) {
        out.println(report.model() + " (" + report.architecture() + ")");
        out.println(report.device() + ", " + report.deviceDetail() + "; memory reads at " + gigabytes(report.memoryBandwidth()));
        out.println("dense weights " + ByteSize.text(report.denseBytes()) + " a step; " + report.arena().slots() + " of "
                + report.arena().experts()
                + " experts in the " + report.arena().kind() + " arena");
        out.println();
        Table table = new Table(false, "test", "batch", "tokens/s", "slowest", "fastest", "a token moves", "weights", "of memory", "hits",
                "misses", "waits",
                "allocated/token");
        for (BenchReport.Result result : report.results()) {
            Double allocated = result.allocatedPerToken();
            table.row(result.test() + " " + result.tokens(), Integer.toString(result.batch()), rate(result.tokensPerSecond()),
                    rate(result.slowest()),
                    rate(result.fastest()), ByteSize.text((long) result.bytesPerToken()), gigabytes(result.bytesPerSecond()),
                    String.format(Locale.ROOT, "%.0f %%", 100 * result.bandwidthShare()), Long.toString(result.hits()),
                    Long.toString(result.misses()), String.format(Locale.ROOT, "%.1f", result.waitsPerStep()),
                    allocated == null ? "" : String.format(Locale.ROOT, "%.0f B", allocated));
        }
        table.print(out);
        if (report.state() != null) {
            StateTable.print(report.state(), out);
        }
    }

    static String rate(double tokens) {
        return String.format(Locale.ROOT, tokens < 100 ? "%.2f" : "%.0f", tokens);
    }

    static String gigabytes(double bytesPerSecond) {
        return String.format(Locale.ROOT, "%.2f GB/s", bytesPerSecond / 1e9);
    }
}
