package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.expert.ExpertOptions;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.cuda.CudaBackend;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Models in the shapes of released ones on a CUDA device: what the small test models are not shaped like. */
@EnabledIf(value = "hasDevice", disabledReason = "There is no CUDA device here")
class CudaSynthesizedTest {

    private static final int STEPS = 24;
    private static final int VOCABULARY = 1024;

    @TempDir
    Path directory;

    static boolean hasDevice() {
        return CudaBackend.obstacle() == null;
    }

    @ParameterizedTest
    @CsvSource({"qwen3-30b-a3b, 1", "qwen3-30b-a3b, 5", "qwen3-next-80b, 1", "qwen3-next-80b, 3", "qwen3.6-35b-a3b, 1",
        "qwen3.6-35b-a3b, 16",
        "qwen3.8-flash-next, 1", "qwen3.8-flash-next, 4"})
    void stepsThatTheDeviceRunsByItselfGiveTheBitsOfThoseTheHostRuns(String like, int batch) {
        Path file = directory.resolve("model.gguf");
        CommandRun run = CommandRun.of("synthesize", "--like", like, "--layers", 4, "--experts", 24, "--quant", "q4_k", "--vocabulary",
                VOCABULARY, "--ngram-rows=4096", file);
        assertThat(run.code()).as(run.err()).isZero();
        try (GgufFile gguf = GgufFile.open(file)) {
            if (!Boolean.TRUE.equals(SupportCheck.of(gguf).runs())) {
                return;
            }
        }
        int[] tokens = new SplittableRandom(7).ints((long) STEPS * batch, 0, VOCABULARY).toArray();
        try (BenchSession session = new BenchSession(file, CudaBackend::create, 16, batch, STEPS, ExpertOptions.defaults(1, 1))) {
            List<float[]> alone = run(session, tokens, batch);
            session.reset();
            // Whoever watches a step is told by the host.
            session.loaded().model().observe(new ExpertTraffic(new ModelInspector(session.file()).expertSizes()));
            List<float[]> watched = run(session, tokens, batch);
            for (int step = 0; step < STEPS; step++) {
                assertThat(alone.get(step)).as("step " + step).isEqualTo(watched.get(step));
            }
        }
    }

    private static List<float[]> run(BenchSession session, int[] tokens, int batch) {
        List<float[]> logits = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            session.decode(tokens, step * batch, batch);
            logits.add(session.logits().memory().asSlice(0, 4L * batch * VOCABULARY).toArray(ValueLayout.JAVA_FLOAT));
        }
        return logits;
    }
}
