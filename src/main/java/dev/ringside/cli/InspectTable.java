package dev.ringside.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A {@link ModelReport} for people. */
final class InspectTable {

    private InspectTable() {}

    static void print(ModelReport report, PrintWriter out) {
        head(report, out);
        groups("By role", "in", report.roles(), out);
        groups("By type", "of", report.types(), out);
        ModelReport.Experts experts = report.experts();
        if (experts != null) {
            experts(experts, out);
        }
        out.println();
        out.println("Sequence state (keys and values in F16)");
        line(out, "per token", ByteSize.text(report.state().bytesPerToken()));
        line(out, "fixed", ByteSize.text(report.state().fixedBytes()));
        fits(report, out);
    }

    private static void head(ModelReport report, PrintWriter out) {
        out.println(report.file() + (report.parts().size() > 1 ? " (" + report.parts().size() + " parts)" : ""));
        line(out, "architecture", report.architecture());
        line(out, "name", text(report.name()));
        if (report.synthetic()) {
            line(out, "weights", "random: made by ringside synthesize, they know nothing");
        }
        Boolean runs = report.support().runs();
        line(out, "runs here",
                runs == null ? "not tried: " + report.support().reason() : runs ? "yes" : "no: " + report.support().reason());
        line(out, "context", text(report.contextLength()) + " tokens");
        ModelReport.Heads heads = report.heads();
        line(out, "layers", report.layers() + (heads.deltaNetLayers() > 0
                ? " (" + heads.attentionLayers() + " attention, " + heads.deltaNetLayers() + " DeltaNet)"
                : "") + (report.draftLayers() > 0 ? ", " + report.draftLayers() + " draft" : ""));
        line(out, "hidden size", text(report.hiddenSize()));
        line(out, "heads", text(heads.query()) + " query, " + text(heads.keyValue()) + " key/value, of " + text(heads.size()));
        line(out, "vocabulary", text(report.vocabularySize()));
        ModelReport.TokenizerInfo tokenizer = report.tokenizer();
        line(out, "tokenizer",
                text(tokenizer.model()) + ", " + text(tokenizer.preTokenizer()) + ", " + tokenizer.tokens() + " tokens, "
                        + tokenizer.merges()
                        + " merges, chat template: " + (tokenizer.chatTemplate() ? "yes" : "no"));
        line(out, "parameters", ByteSize.count(report.parameters()));
        line(out, "size", ByteSize.text(report.bytes()) + " in " + report.tensors() + " tensors, GGUF version " + report.formatVersion());
    }

    private static void groups(String title, String within, List<ModelReport.Group> groups, PrintWriter out) {
        out.println();
        Table table = new Table(true, title, "tensors", "parameters", "bytes", within);
        for (ModelReport.Group group : groups) {
            table.row(group.name(), Integer.toString(group.tensors()), ByteSize.count(group.parameters()), ByteSize.text(group.bytes()),
                    group.types().entrySet().stream().sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                            .map(part -> part.getKey() + " " + ByteSize.text(part.getValue())).collect(Collectors.joining(", ")));
        }
        table.print(out);
    }

    private static void experts(ModelReport.Experts experts, PrintWriter out) {
        out.println();
        out.println("Routed experts");
        line(out, "experts",
                experts.layers() + " layers of " + experts.perLayer() + ", " + experts.total() + " in all, " + text(experts.perToken())
                        + " for a token");
        line(out, "one expert", ByteSize.count(experts.parametersEach()) + " parameters, slot of " + ByteSize.text(experts.slotBytes())
                + (experts.smallestBytes() < experts.slotBytes() * 0.99 ? ", smallest " + ByteSize.text(experts.smallestBytes()) : ""));
        line(out, "all experts", ByteSize.text(experts.totalBytes()));
        Long perToken = experts.bytesPerToken();
        line(out, "a token reads", perToken == null ? "?" : ByteSize.text(perToken));
    }

    private static void fits(ModelReport report, PrintWriter out) {
        out.println();
        Table table = new Table(true, "Memory", "context", "dense weights", "state", "arena", "slots", "");
        for (ModelReport.Fit fit : report.fits()) {
            String verdict = !fit.enough()
                    ? "too little" + missing(report, fit)
                    : report.experts() == null || fit.share() == 1
                            ? "everything fits"
                            : String.format(Locale.ROOT, "%.1f %% of all experts", 100 * fit.share());
            table.row(ByteSize.text(fit.memory()), Long.toString(fit.context()), ByteSize.text(fit.denseBytes()),
                    ByteSize.text(fit.stateBytes()),
                    ByteSize.text(fit.arenaBytes()), Integer.toString(fit.slots()), verdict);
        }
        table.print(out);
        out.println("  Activations and the staging ring come on top.");
    }

    private static String missing(ModelReport report, ModelReport.Fit fit) {
        ModelReport.Experts experts = report.experts();
        long needed = fit.denseBytes() + fit.stateBytes() + (experts == null ? 0 : experts.minimumSlots() * experts.slotBytes());
        return ": it takes " + ByteSize.text(needed) + " at least";
    }

    private static void line(PrintWriter out, String name, String value) {
        out.println("  " + name + " ".repeat(Math.max(1, 14 - name.length())) + value);
    }

    private static String text(@Nullable Object value) {
        return value == null ? "?" : value.toString();
    }
}
