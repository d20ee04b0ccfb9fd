package dev.ringside.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code synthesize}: a random model in the shape of a released one. */
@Command(name = "synthesize", mixinStandardHelpOptions = true, sortOptions = false, description = "Writes a GGUF file with random weights in the shape of a released model, for measuring and testing without downloads.")
final class SynthesizeCommand implements Callable<Integer> {

    private static final int MOST_LAYERS = 1024;
    private static final int MOST_EXPERTS = 4096;
    private static final long FEWEST_ROWS = 1024;

    @Spec
    @Nullable
    CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The file to write.")
    Path file = Path.of("");

    @Option(names = "--like", required = true, paramLabel = "NAME", converter = ShapeConverter.class, description = "The model: qwen3-30b-a3b, qwen3-next-80b, qwen3.6-35b-a3b or qwen3.8-flash-next.")
    @Nullable
    ModelShape like;

    @Option(names = "--layers", paramLabel = "N", description = "Layers. Default: the model's.")
    @Nullable
    Integer layers;

    @Option(names = "--experts", paramLabel = "N", description = "Experts of a layer. Default: the model's.")
    @Nullable
    Integer experts;

    @Option(names = "--vocabulary", paramLabel = "N", description = "Tokens of the vocabulary. Default: the model's.")
    @Nullable
    Integer vocabulary;

    @Option(names = "--ngram-rows", paramLabel = "N", description = "Rows of the n-gram table, about. Default: the model's 320 million.")
    @Nullable
    Long nGramRows;

    @Option(names = "--quant", paramLabel = "TYPE", converter = QuantMix.Converter.class, defaultValue = "q4_k", description = "Type of the matrices: a GGML type such as q4_k, q8_0, f16 or iq3_xxs, or the mixes q4_k_m and mxfp4_moe. "
            + "Default: ${DEFAULT-VALUE}.")
    @Nullable
    QuantMix quant;

    @Option(names = "--routing", paramLabel = "SPREAD", converter = Routing.Converter.class, defaultValue = "uniform", description = "How popular experts are: uniform, or zipf:EXPONENT such as zipf:1.0. Default: ${DEFAULT-VALUE}.")
    @Nullable
    Routing routing;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "Seed of the weights. Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(names = "--force", description = "Replace the file when it exists.")
    boolean force;

    @Option(names = "--verbose", description = "Print the stack trace of a failure.")
    boolean verbose;

    @Override
    public Integer call() throws IOException {
        CommandSpec command = Objects.requireNonNull(spec);
        ModelShape shape = shape();
        Synthesizer synthesizer = new Synthesizer(shape, Objects.requireNonNull(quant), Objects.requireNonNull(routing), seed);
        long bytes = synthesizer.fileBytes();
        requireRoom(bytes);
        PrintWriter err = command.commandLine().getErr();
        long start = System.nanoTime();
        try (ProgressBar progress = ProgressBar.ofBytes(err, ProgressBar.onTerminal(), "Writing " + file.getFileName(), bytes)) {
            synthesizer.write(file, progress::advance);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        PrintWriter out = command.commandLine().getOut();
        out.println(file + ": " + shape.title() + ", " + shape.layers() + " layers of " + shape.experts() + " experts, random weights in "
                + quant.text() + ", routing " + routing + ", " + ByteSize.text(bytes) + " (" + ByteSize.text((long) (bytes / seconds))
                + "/s)");
        out.flush();
        return 0;
    }

    private ModelShape shape() {
        ModelShape shape = Objects.requireNonNull(like);
        if (layers != null) {
            shape = shape.withLayers((int) within("--layers", layers, 1, MOST_LAYERS));
        }
        if (experts != null) {
            shape = shape.withExperts((int) within("--experts", experts, 1, MOST_EXPERTS));
        }
        if (vocabulary != null || nGramRows != null) {
            int tokens = vocabulary == null
                    ? shape.vocabulary()
                    : (int) within("--vocabulary", vocabulary, SyntheticTokenizer.SMALLEST, 1 << 24);
            long rows = nGramRows == null ? NGramTable.RELEASED_ROWS : within("--ngram-rows", nGramRows, FEWEST_ROWS, 2_000_000_000);
            shape = shape.withTables(tokens, rows);
        }
        return shape;
    }

    private long within(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new ParameterException(Objects.requireNonNull(spec).commandLine(),
                    "Invalid value for option '" + option + "': expected " + least + " to " + most + ", found " + value);
        }
        return value;
    }

    private void requireRoom(long bytes) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file) || directory == null) {
            throw new CommandException(file + " is a directory: name a file", null);
        }
        if (!Files.isDirectory(directory)) {
            throw new CommandException(directory + " does not exist: create it or name another directory", null);
        }
        if (Files.exists(file) && !force) {
            throw new CommandException(file + " exists: name another file, or replace it with --force", null);
        }
        long room = Files.getFileStore(directory).getUsableSpace();
        if (room < bytes) {
            throw new CommandException(
                    file + " takes " + ByteSize.text(bytes) + ", but " + ByteSize.text(room) + " are free in " + directory
                            + ": free some, or ask for fewer --layers or --experts or a smaller --quant",
                    null);
        }
    }

    /** The models by name. */
    static final class ShapeConverter implements ITypeConverter<ModelShape> {

        @Override
        public ModelShape convert(String value) {
            return ModelShape.all().stream().filter(shape -> shape.like().equalsIgnoreCase(value.strip())).findFirst()
                    .orElseThrow(() -> new TypeConversionException("expected "
                            + ModelShape.all().stream().map(ModelShape::like).collect(Collectors.joining(", ")) + ", found '" + value
                            + "'"));
        }
    }
}
