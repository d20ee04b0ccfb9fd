package dev.ringside.cli;

import dev.ringside.cli.StateReport.Draft;
import dev.ringside.cli.StateReport.Drafts;
import dev.ringside.cli.StateReport.Prefix;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.stream.Collectors;

/** A {@link StateReport} for people. */
final class StateTable {

    private StateTable() {}

    static void print(StateReport report, PrintWriter out) {
        out.println();
        out.println("sequence state of " + report.position() + " tokens: " + ByteSize.text(report.bytes()) + "; save "
                + BenchTable.gigabytes(report.saveBytesPerSecond()) + ", restore " + BenchTable.gigabytes(report.restoreBytesPerSecond())
                + ", plain copy " + BenchTable.gigabytes(report.copyBytesPerSecond()));
        Prefix prefix = report.prefix();
        if (prefix != null) {
            out.println("first token of a prompt of " + prefix.promptTokens() + " tokens: cold " + seconds(prefix.coldSeconds()) + ", with "
                    + prefix.cachedTokens() + " tokens cached " + seconds(prefix.hitSeconds()));
        }
        Drafts drafts = report.drafts();
        if (drafts == null) {
            return;
        }
        out.println();
        Table table = new Table(false, "drafts", "tokens/s", "speed-up", "drafted", "accepted", "by position", "tokens/step");
        table.row("none", BenchTable.rate(drafts.plainTokensPerSecond()), "1.00", "0", "", "", "1.00");
        for (Draft draft : drafts.settings()) {
            table.row(draft.adaptive() ? "up to " + draft.maxDrafts() : Integer.toString(draft.maxDrafts()),
                    BenchTable.rate(draft.tokensPerSecond()), two(draft.speedUp()), Long.toString(draft.drafted()),
                    percent(draft.acceptance()),
                    draft.acceptanceAt().stream().map(StateTable::percent).collect(Collectors.joining(", ")), two(draft.tokensPerStep()));
        }
        table.print(out);
    }

    private static String seconds(double value) {
        return String.format(Locale.ROOT, "%.3f s", value);
    }

    private static String two(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * share);
    }
}
