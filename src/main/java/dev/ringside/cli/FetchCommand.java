package dev.ringside.cli;

import dev.ringside.download.DownloadException;
import dev.ringside.download.DownloadOptions;
import dev.ringside.download.ModelAddress;
import dev.ringside.download.ModelAddress.Remote;
import dev.ringside.download.ModelDownloader;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fetch}: downloads a model without serving it, as the chart's init container does. Prints the path of the file. */
@Command(name = "fetch", description = "Downloads a model: resumes, verifies size and SHA-256, and prints the path of the file. HF_TOKEN in the environment opens private repositories.", mixinStandardHelpOptions = true, sortOptions = false)
final class FetchCommand implements Callable<Integer> {

    @Spec
    @Nullable
    CommandSpec spec;

    @Parameters(paramLabel = "ADDRESS", description = "hf://organisation/repository/file.gguf[@revision] or an https:// address. Of a split model any part: all are fetched.")
    String address = "";

    @ArgGroup(multiplicity = "1")
    @Nullable
    Target target;

    @Option(names = "--sha256", paramLabel = "HEX", split = ",", description = "Expected SHA-256, for split models one for each part. Default: what the hub says.")
    List<String> sha256 = List.of();

    @Option(names = "--allow-http", description = "Allow unencrypted connections to other machines.")
    boolean allowHttp;

    @Option(names = "--verbose", description = "Print the stack trace of a failure.")
    boolean verbose;

    /** Where to. */
    static final class Target {

        @Option(names = "--to", paramLabel = "DIR", required = true, description = "Directory to put the file into.")
        @Nullable
        Path directory;

        @Option(names = "--cache", paramLabel = "DIR", required = true, description = "Cache to put the file into, where a server with ringside.model.cache-directory finds it under its address.")
        @Nullable
        Path cache;
    }

    @Override
    public Integer call() {
        CommandSpec command = Objects.requireNonNull(spec);
        PrintWriter err = command.commandLine().getErr();
        try (FetchProgress progress = new FetchProgress(err, ProgressBar.onTerminal())) {
            Path file = new ModelDownloader(options(), progress).fetch(remote());
            command.commandLine().getOut().println(file.toAbsolutePath());
            return 0;
        } catch (DownloadException e) {
            throw new CommandException(e.getMessage() + "\n" + e.action(), e);
        }
    }

    private DownloadOptions options() {
        Target chosen = Objects.requireNonNull(target);
        Path directory = chosen.directory;
        try {
            DownloadOptions options = directory == null
                    ? DownloadOptions.standard(Objects.requireNonNull(chosen.cache), System.getenv())
                    : DownloadOptions.standard(directory, System.getenv()).flattened();
            return options.withSha256(sha256).withAllowHttp(allowHttp);
        } catch (IllegalArgumentException e) {
            throw wrong("--sha256", e);
        }
    }

    private Remote remote() {
        try {
            if (ModelAddress.parse(address) instanceof Remote remote) {
                return remote;
            }
        } catch (IllegalArgumentException e) {
            throw wrong("ADDRESS", e);
        }
        throw wrong("ADDRESS", new IllegalArgumentException("must be an https:// or hf:// address, found a file"));
    }

    private ParameterException wrong(String what, IllegalArgumentException reason) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), "Invalid value for " + what + ": " + reason.getMessage());
    }
}
