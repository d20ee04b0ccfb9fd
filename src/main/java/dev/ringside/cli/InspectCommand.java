package dev.ringside.cli;

import com.sun.management.OperatingSystemMXBean;
import dev.ringside.gguf.GgufFile;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code inspect}: what is in a model file, and what of it fits where. */
@Command(name = "inspect", description = "Shows what is in a GGUF file: shape, sizes by role and type, experts, and what fits in a given memory.", mixinStandardHelpOptions = true, sortOptions = false)
final class InspectCommand implements Callable<Integer> {

    @Spec
    @Nullable
    CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A GGUF file, or any part of a split one.")
    Path file = Path.of("");

    @Option(names = "--memory", paramLabel = "SIZE", split = ",", converter = ByteSize.class, description = "Memory to fit the model into, such as 24GB or 24GB,80GB. Default: this machine's.")
    List<Long> memories = List.of();

    @Option(names = "--context", paramLabel = "TOKENS", description = "Length of the sequence that has to fit beside it. Default: the model's.")
    @Nullable
    Long context;

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Option(names = "--verbose", description = "Print the stack trace of a failure.")
    boolean verbose;

    @Override
    public Integer call() {
        CommandSpec command = Objects.requireNonNull(spec);
        if (context != null && context < 1) {
            throw new ParameterException(command.commandLine(),
                    "Invalid value for option '--context': expected at least 1, found " + context);
        }
        List<Long> asked = memories.isEmpty()
                ? List.of(ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize())
                : memories;
        PrintWriter out = command.commandLine().getOut();
        try (GgufFile gguf = GgufFile.open(file)) {
            ModelReport report = new ModelInspector(gguf).report(asked, context);
            if (json) {
                Json.print(report, out);
            } else {
                InspectTable.print(report, out);
            }
        }
        out.flush();
        return 0;
    }
}
