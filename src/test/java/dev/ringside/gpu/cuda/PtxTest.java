package dev.ringside.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gguf.GgmlType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import jcuda.nvptxcompiler.JNvPTXCompiler;
import jcuda.nvptxcompiler.nvPTXCompilerHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The committed kernels: made from the committed sources, complete, and good for every GPU that is supported. No GPU needed. */
class PtxTest {

    private static final Path SOURCES = Path.of("src/main/cuda");
    private static final String HOPPER = "wgmma-";
    private static final Path PTX = Path.of("src/main/resources/ptx");

    @Test
    void kernelsAreThoseOfTheSources() throws IOException, NoSuchAlgorithmException {
        Map<String, String> recorded = new TreeMap<>();
        for (String line : Files.readAllLines(PTX.resolve("sources.sha256"))) {
            String[] parts = line.split("  ", 2);
            recorded.put(parts[1], parts[0]);
        }
        Map<String, String> found = new TreeMap<>();
        for (Path file : files(SOURCES, ".cu", ".cuh")) {
            found.put(name(file), sha256(file));
        }
        for (Path file : files(PTX, ".ptx.gz")) {
            found.put(name(file), sha256(file));
        }
        assertThat(found).as("run src/main/cuda/build.sh after changing kernels and commit what it makes").isEqualTo(recorded);
    }

    @Test
    void everyStoredTypeHasMatrixKernels() {
        for (GgmlType type : GgmlType.values()) {
            String text = new String(KernelModules.ptx(KernelModules.matmul(type)), StandardCharsets.US_ASCII);
            assertThat(text).contains(".entry product_1x1(", ".entry product_1x4(", ".entry product_4x4(", ".entry product_8x4(",
                    ".entry gather(");
            for (boolean hopper : new boolean[] {false, true}) {
                text = new String(KernelModules.ptx(KernelModules.prompts(type, hopper)), StandardCharsets.US_ASCII);
                assertThat(text).contains(".entry prompt_product(", hopper ? "wgmma.mma_async" : "mma.sync");
            }
        }
    }

    @Test
    void activationsAreSplitInTheOrderOfDecodedUnits() throws IOException {
        String sources = Files.readString(SOURCES.resolve("decode.cuh")) + Files.readString(SOURCES.resolve("decode_tables.cuh"));
        for (GgmlType type : GgmlType.values()) {
            int at = sources.indexOf("struct Unit<" + type.id() + "> {");
            String stride = "static constexpr int STRIDE = ";
            int from = sources.indexOf(stride, at) + stride.length();
            assertThat(at).as(type.name()).isPositive();
            assertThat(PrefillProducts.stride(type)).as(type.name())
                    .isEqualTo(Integer.parseInt(sources.substring(from, sources.indexOf(';', from))));
        }
    }

    /** From 9.0 on with what lets kernels overlap. */
    @ParameterizedTest
    @ValueSource(strings = {"sm_80", "sm_90"})
    void theOldestSupportedCompilerAssemblesEveryModule(String architecture) throws IOException {
        JNvPTXCompiler.setExceptionsEnabled(false);
        files(PTX, ".ptx.gz").parallelStream().filter(file -> !name(file).startsWith(HOPPER))
                .forEach(file -> assertAssembles(name(file), architecture,
                        architecture.equals("sm_80") ? text(name(file)) : KernelModules.overlapping(text(name(file)))));
    }

    @Test
    void theSameCompilerAssemblesWhatIsForHopperAlone() throws IOException {
        JNvPTXCompiler.setExceptionsEnabled(false);
        files(PTX, ".ptx.gz").parallelStream().filter(file -> name(file).startsWith(HOPPER))
                .forEach(file -> assertAssembles(name(file), "sm_90a", text(name(file))));
    }

    @Test
    void everyKernelOfAStepWaitsForThoseInFrontOfIt() {
        for (String module : new String[] {"attention", "delta", "indexer", "norm", "routing", "matmul-f32"}) {
            byte[] plain = KernelModules.ptx(module);
            assertThat(KernelModules.waiting(plain)).as(module).isEmpty();
            Set<String> kernels = new HashSet<>();
            Matcher entries = Pattern.compile("\\.entry (\\w+)\\(").matcher(new String(plain, StandardCharsets.US_ASCII));
            while (entries.find()) {
                kernels.add(entries.group(1));
            }
            assertThat(KernelModules.waiting(KernelModules.overlapping(plain))).as(module).isEqualTo(kernels);
        }
        assertThat(KernelModules.waiting(KernelModules.overlapping(KernelModules.ptx("resident")))).containsExactly("route_resident");
    }

    private static byte[] text(String name) {
        return KernelModules.ptx(name.substring(0, name.length() - ".ptx.gz".length()));
    }

    private static void assertAssembles(String name, String architecture, byte[] text) {
        nvPTXCompilerHandle compiler = new nvPTXCompilerHandle();
        assertThat(JNvPTXCompiler.nvPTXCompilerCreate(compiler, text.length, text)).isZero();
        int result = JNvPTXCompiler.nvPTXCompilerCompile(compiler, 2, new String[] {"--gpu-name=" + architecture, "-O0"});
        assertThat(result).as("%s for %s: %s", name, architecture, errors(compiler)).isZero();
        JNvPTXCompiler.nvPTXCompilerDestroy(compiler);
    }

    private static String errors(nvPTXCompilerHandle compiler) {
        long[] size = new long[1];
        JNvPTXCompiler.nvPTXCompilerGetErrorLogSize(compiler, size);
        byte[] log = new byte[Math.toIntExact(size[0]) + 1];
        if (size[0] > 0) {
            JNvPTXCompiler.nvPTXCompilerGetErrorLog(compiler, log);
        }
        return new String(log, StandardCharsets.UTF_8).strip();
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    private static List<Path> files(Path directory, String... endings) throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> all = Files.list(directory)) {
            all.filter(path -> Arrays.stream(endings).anyMatch(name(path)::endsWith)).sorted().forEach(found::add);
        }
        return found;
    }

    private static String sha256(Path file) throws IOException, NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }
}
