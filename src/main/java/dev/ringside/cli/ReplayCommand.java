package dev.ringside.cli;

import dev.ringside.expert.ReplayResult;
import dev.ringside.expert.ReplaySimulator;
import dev.ringside.expert.RoutingTrace;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code replay}: what eviction policies would have made of recorded traffic. */
@Command(name = "replay", description = "Replays a trace of expert choices and shows the misses of each eviction policy.", mixinStandardHelpOptions = true, sortOptions = false)
final class ReplayCommand implements Callable<Integer> {

    /** Gathers to replay in all from which on somebody may wonder how long it takes. */
    static final long LONG_REPLAY = 100_000;

    @Spec
    @Nullable
    CommandSpec spec;

    @Parameters(paramLabel = "TRACE", description = "A file that ringside.experts.trace-file names, plain or gzipped.")
    Path trace = Path.of("");

    @Option(names = "--slots", paramLabel = "N", split = ",", required = true, description = "Arena sizes in experts, such as 64,128,192.")
    List<Integer> slots = List.of();

    @Option(names = "--policy", paramLabel = "NAME", split = ",", description = "Policies: lru, window:PERCENT, lfru, adaptive, and belady, which knows the future. Default: all.")
    List<String> policies = List.of("lru", "window:8", "lfru", "adaptive", ReplaySimulator.BELADY);

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Option(names = "--plot", paramLabel = "FILE.png", description = "Also draw misses per step against arena size, a line for each policy; give several sizes.")
    @Nullable
    Path plot;

    @Option(names = "--verbose", description = "Print the stack trace of a failure.")
    boolean verbose;

    @Override
    public Integer call() {
        CommandSpec command = Objects.requireNonNull(spec);
        PrintWriter out = command.commandLine().getOut();
        RoutingTrace recorded = read();
        List<ReplayResult> results;
        try {
            results = replay(recorded, command.commandLine().getErr());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
        if (json) {
            Json.print(results, out);
        } else {
            print(recorded, results, out);
        }
        Path file = plot;
        if (file != null) {
            draw(file, recorded, results);
        }
        out.flush();
        return 0;
    }

    private List<ReplayResult> replay(RoutingTrace recorded, PrintWriter err) {
        long gathers = (long) recorded.gathers().size() * slots.size() * policies.size();
        if (gathers < LONG_REPLAY) {
            return ReplaySimulator.run(recorded, slots, policies);
        }
        try (ProgressBar progress = ProgressBar.ofSteps(err, ProgressBar.onTerminal(), "Replaying", gathers)) {
            return ReplaySimulator.run(recorded, slots, policies, progress::advance);
        }
    }

    private RoutingTrace read() {
        try {
            return RoutingTrace.read(trace);
        } catch (IOException e) {
            throw new CommandException(trace + " can't be read as a trace of expert choices: " + e, e);
        }
    }

    private void draw(Path file, RoutingTrace recorded, List<ReplayResult> results) {
        String title = "Misses per step, " + trace.getFileName() + " (" + recorded.steps() + " steps, " + recorded.distinctExperts()
                + " experts)";
        try {
            MissPlot.write(file, title, results);
        } catch (IOException e) {
            throw new CommandException("--plot: " + file + " can't be written: " + e, e);
        }
    }

    private void print(RoutingTrace recorded, List<ReplayResult> results, PrintWriter out) {
        out.println(recorded.steps() + " steps, " + recorded.distinctExperts() + " different experts; misses per step");
        List<String> header = new ArrayList<>(List.of("slots"));
        header.addAll(policies);
        Table table = new Table(false, header.toArray(String[]::new));
        for (int size : slots) {
            List<String> row = new ArrayList<>(List.of(Integer.toString(size)));
            for (String policy : policies) {
                row.add(results.stream().filter(result -> result.slots() == size && result.policy().equals(policy))
                        .map(result -> String.format(Locale.ROOT, "%.3f", result.missesPerStep())).findFirst().orElse("-"));
            }
            table.row(row.toArray(String[]::new));
        }
        table.print(out);
    }
}
