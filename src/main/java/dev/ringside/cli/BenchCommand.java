package dev.ringside.cli;

import com.sun.management.OperatingSystemMXBean;
import dev.ringside.expert.ArenaKind;
import dev.ringside.expert.ExpertCapacity;
import dev.ringside.expert.ExpertOptions;
import dev.ringside.expert.ExpertSnapshot;
import dev.ringside.expert.ExpertTuning;
import dev.ringside.expert.HostTierSize;
import dev.ringside.gpu.DeviceInfo;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code bench}: how fast a model runs here, and how near that is to what the memory allows. */
@Command(name = "bench", mixinStandardHelpOptions = true, sortOptions = false, description = "Measures prefill and decode of random tokens, without a server, and the share of the memory's bandwidth that is reached.")
final class BenchCommand implements Callable<Integer> {

    private static final long LARGEST_BUFFER = 1L << 30;
    private static final long SMALLEST_BUFFER = 64L << 20;

    @Spec
    @Nullable
    CommandSpec spec;

    @Option(names = "--model", paramLabel = "FILE", description = "A GGUF file. Default: the built-in demo model.")
    @Nullable
    Path model;

    @Option(names = "--backend", paramLabel = "NAME", defaultValue = "auto", description = "auto, cuda or cpu. Default: ${DEFAULT-VALUE}, a GPU where there is one.")
    @Nullable
    BenchDevice backend;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "0", description = "Worker threads. Default: one for each processor.")
    int threads;

    @Option(names = "--prompt", paramLabel = "TOKENS", split = ",", defaultValue = "128,512", description = "Lengths of prompts to read. Default: ${DEFAULT-VALUE}.")
    List<Integer> prompts = List.of();

    @Option(names = "--decode", paramLabel = "STEPS", defaultValue = "64", description = "Tokens to generate for each sequence. Default: ${DEFAULT-VALUE}.")
    int decode;

    @Option(names = "--batch", paramLabel = "N", split = ",", defaultValue = "1,4", description = "Sequences to generate at a time. Default: ${DEFAULT-VALUE}.")
    List<Integer> batches = List.of();

    @Option(names = "--context", paramLabel = "TOKENS", defaultValue = "0", description = "Tokens that each sequence holds before it generates. Default: ${DEFAULT-VALUE}.")
    int context;

    @Option(names = "--step-tokens", paramLabel = "N", defaultValue = "256", description = "Most rows of a step of prefill. Default: ${DEFAULT-VALUE}.")
    int stepTokens;

    @Option(names = "--arena", paramLabel = "SIZE", converter = CapacityConverter.class, defaultValue = "auto", description = "Expert arena: auto, a size such as 8GB, or a share of all experts such as 25%%. Default: ${DEFAULT-VALUE}.")
    @Nullable
    ExpertCapacity arena;

    @Option(names = "--arena-kind", paramLabel = "KIND", defaultValue = "auto", description = "auto, device or pinned. Default: ${DEFAULT-VALUE}.")
    @Nullable
    ArenaKind arenaKind;

    @Option(names = "--host-tier", paramLabel = "SIZE", converter = TierConverter.class, defaultValue = "0", description = "Page-locked memory between file and device arena: 0, auto, a size, or a share of all experts. Default: ${DEFAULT-VALUE}.")
    @Nullable
    HostTierSize hostTier;

    @Option(names = "--no-lookahead", description = "Do not read the experts that the next layer will probably want.")
    boolean withoutLookahead;

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "3", description = "Timed runs, of which the median is shown. Default: ${DEFAULT-VALUE}.")
    int repeats;

    @Option(names = "--warm-up", paramLabel = "SECONDS", defaultValue = "2", description = "Untimed running in front of each measurement. Default: ${DEFAULT-VALUE}.")
    double warmUp;

    @Option(names = "--bandwidth-buffer", paramLabel = "SIZE", converter = ByteSize.class, description = "Buffer for measuring memory; make it larger than the caches. Default: an eighth of free memory, up to 1GB.")
    @Nullable
    Long buffer;

    @Option(names = "--no-state", description = "Leave out checkpoints, prefixes and drafts, which are measured on the CPU only.")
    boolean withoutState;

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Option(names = "--verbose", description = "Print the stack trace of a failure.")
    boolean verbose;

    @Override
    public Integer call() throws IOException {
        check();
        Path named = model;
        if (named != null) {
            bench(named);
            return 0;
        }
        try (DemoModel demo = DemoModel.open()) {
            bench(demo.path());
        }
        return 0;
    }

    private void check() {
        atLeast("--threads", threads, 0);
        prompts.forEach(length -> atLeast("--prompt", length, 1));
        atLeast("--decode", decode, 1);
        atLeast("--context", context, 0);
        batches.forEach(size -> atLeast("--batch", size, 1));
        atLeast("--step-tokens", stepTokens, 1);
        atLeast("--repeat", repeats, 1);
        if (!(warmUp >= 0 && warmUp <= 3600)) {
            throw new ParameterException(command().commandLine(),
                    "Invalid value for option '--warm-up': expected 0 to 3600 seconds, found " + warmUp);
        }
    }

    private void atLeast(String option, int value, int least) {
        if (value < least || value > 1 << 20) {
            throw new ParameterException(command().commandLine(),
                    "Invalid value for option '" + option + "': expected " + least + " to " + (1 << 20) + ", found " + value);
        }
    }

    private void bench(Path path) {
        int batch = largest(batches);
        int prompt = largest(prompts);
        // The loader puts in the experts a token uses, the session the memory there is.
        ExpertOptions experts = ExpertOptions.defaults(1, 1).withArena(Objects.requireNonNull(arenaKind))
                .withCapacity(Objects.requireNonNull(arena))
                .withTuning(ExpertTuning.DEFAULT.withHostTier(Objects.requireNonNull(hostTier)).withLookahead(!withoutLookahead));
        PrintWriter err = command().commandLine().getErr();
        BenchReport report;
        BenchDevice device = Objects.requireNonNull(backend);
        try (BenchSession session = new BenchSession(path, () -> device.open(threads), Math.min(stepTokens, prompt), batch,
                Math.max(prompt, context + decode), experts);
                ProgressBar progress = ProgressBar.ofSteps(err, ProgressBar.onTerminal(), "Measuring",
                        1 + (long) (prompts.size() + batches.size()) * (1 + repeats))) {
            int readers = threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
            double bandwidth = device.isGpu()
                    ? BenchDevice.bandwidth(session.backend())
                    : MemoryBandwidth.measure(readers, buffer == null ? bufferBytes() : buffer);
            progress.advance(1);
            BenchRunner runner = new BenchRunner(session,
                    new BenchRunner.Settings(repeats, warmUp, Math.min(stepTokens, prompt), context, bandwidth),
                    Math.max(Math.max(prompt, context), decode * batch));
            List<BenchReport.Result> results = new ArrayList<>();
            prompts.forEach(length -> results.add(runner.prefill(length, progress)));
            batches.forEach(size -> results.add(runner.decode(decode, size, progress)));
            progress.close();
            report = report(session, runner, bandwidth, results);
        }
        // After the other model was closed: there may be no room for two.
        print(withoutState || device.isGpu()
                ? report
                : report.with(StateBench.measure(path, experts,
                        new StateBench.Settings(threads, Math.min(stepTokens, prompt), prompt, decode, repeats, warmUp))));
    }

    private static BenchReport report(BenchSession session, BenchRunner runner, double bandwidth, List<BenchReport.Result> results) {
        DeviceInfo device = session.backend().device();
        ExpertSnapshot experts = session.loaded().expertSnapshot();
        return new BenchReport(session.loaded().model().info().name(), session.loaded().model().info().architecture(), device.name(),
                device.detail(), bandwidth, runner.denseBytes(),
                new BenchReport.Arena(experts.arena(), experts.slots(), experts.experts(), experts.slotBytes()), results, null);
    }

    private void print(BenchReport report) {
        PrintWriter out = command().commandLine().getOut();
        if (json) {
            Json.print(report, out);
        } else {
            BenchTable.print(report, out);
        }
        out.flush();
    }

    private static long bufferBytes() {
        long free = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getFreeMemorySize();
        return Math.clamp(free / 8, SMALLEST_BUFFER, LARGEST_BUFFER);
    }

    private static int largest(List<Integer> values) {
        return values.stream().mapToInt(Integer::intValue).max().orElse(1);
    }

    private CommandSpec command() {
        return Objects.requireNonNull(spec);
    }

    /** Sizes of the host tier, as the configuration reads them. */
    static final class TierConverter implements ITypeConverter<HostTierSize> {

        @Override
        public HostTierSize convert(String value) {
            try {
                return HostTierSize.parse(value);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(
                        "expected 0, auto, a size such as 8GB or a share of all experts such as 25%, found '" + value
                                + "'");
            }
        }
    }

    /** Sizes of an arena, as the configuration reads them. */
    static final class CapacityConverter implements ITypeConverter<ExpertCapacity> {

        @Override
        public ExpertCapacity convert(String value) {
            try {
                return ExpertCapacity.parse(value);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(
                        "expected auto, a size such as 8GB or a share of all experts such as 25%, found '" + value + "'");
            }
        }
    }
}
