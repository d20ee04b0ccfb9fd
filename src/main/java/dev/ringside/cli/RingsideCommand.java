package dev.ringside.cli;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line. Without a command, or with options only, it is {@code serve}, so that Spring Boot's own options work as everywhere:
 * {@code java -jar ringside.jar --server.port=8081}. The other commands start no server.
 * <p>
 * Exit codes: 0 done, 1 the work failed, 2 wrong usage.
 */
@Command(name = "ringside", mixinStandardHelpOptions = true, versionProvider = VersionText.class, synopsisSubcommandLabel = "[COMMAND]", description = "Serves mixture-of-experts language models that are larger than the GPU.", subcommands = {
    ServeCommand.class, FetchCommand.class, InspectCommand.class, SynthesizeCommand.class, BenchCommand.class, ReplayCommand.class})
public final class RingsideCommand implements Callable<Integer> {

    static final int FAILED = 1;

    private static final List<String> OWN_OPTIONS = List.of("-h", "--help", "-V", "--version");

    @Spec
    @Nullable
    CommandSpec spec;

    /**
     * Runs the program: starts the server and returns, or does the work of another command and ends the process.
     *
     * @param args the arguments of the program
     * @param server starts the server with the arguments that are its own
     */
    public static void launch(String[] args, Consumer<String[]> server) {
        String[] serverArgs = serverArguments(args);
        if (serverArgs != null) {
            server.accept(serverArgs);
            return;
        }
        QuietLogging.apply();
        PrintWriter out = new PrintWriter(System.out, false, System.out.charset());
        PrintWriter err = new PrintWriter(System.err, true, System.err.charset());
        int code = execute(args, out, err);
        out.flush();
        err.flush();
        System.exit(code);
    }

    /** The arguments for the server, or null when the arguments are for another command or ask for help. */
    static String @Nullable [] serverArguments(String[] args) {
        if (args.length == 0) {
            return args;
        }
        String first = args[0];
        if (first.equals(ServeCommand.NAME)) {
            String[] rest = Arrays.copyOfRange(args, 1, args.length);
            return rest.length > 0 && OWN_OPTIONS.contains(rest[0]) ? null : rest;
        }
        return first.startsWith("-") && !OWN_OPTIONS.contains(first) ? args : null;
    }

    /** Runs a command that is not the server. */
    static int execute(String[] args, PrintWriter out, PrintWriter err) {
        return new CommandLine(new RingsideCommand()).setOut(out).setErr(err).setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(Failures::report).execute(args);
    }

    @Override
    public Integer call() {
        throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "Missing command");
    }
}
