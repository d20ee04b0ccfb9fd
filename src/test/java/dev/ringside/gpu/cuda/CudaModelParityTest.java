package dev.ringside.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.expert.ArenaKind;
import dev.ringside.expert.ExpertOptions;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.ScalarReference;
import dev.ringside.model.Experts;
import dev.ringside.model.ModelHarness;
import dev.ringside.model.Reference;
import dev.ringside.sequence.SequenceState;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Whole models on a CUDA device against an independent implementation. */
@EnabledIf(value = "hasDevice", disabledReason = "There is no CUDA device here")
class CudaModelParityTest {

    private static final double TOLERANCE = 1e-3;

    static boolean hasDevice() {
        return CudaBackend.obstacle() == null;
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen4exp/q8_0", "qwen4exp/f32", "qwen4exp/mixed", "qwen4exp/low", "qwen4exp/iq", "qwen3moe/q8_0",
        "qwen3moe/f32", "qwen3moe/mixed",
        "qwen3moe/low", "qwen3moe/iq", "qwen3next/q8_0", "qwen3next/q8_0-fused", "qwen3next/f32", "qwen3next/mixed", "qwen35moe/q8_0",
        "qwen35moe/f32",
        "qwen35moe/mixed"})
    void logitsAndGreedyTextEqualTheReference(String name) {
        JsonNode reference = reference(name);
        try (ModelHarness harness = new ModelHarness(model(name), 64, CudaBackend.create(), KvType.F32, Experts.allResident())) {
            int[] prompt = Reference.ints(reference.get("short").get("tokens"));
            List<float[]> logits = harness.run(prompt, 64);
            for (int i = 0; i < logits.size(); i++) {
                assertRow(logits.get(i), Reference.floats(reference.get("short").get("logits").get(i)), "short, position " + i);
            }
            logits = harness.run(Reference.ints(reference.get("long").get("tokens")), 64);
            int[] positions = Reference.ints(reference.get("long").get("positions"));
            for (int i = 0; i < positions.length; i++) {
                assertRow(logits.get(positions[i]), Reference.floats(reference.get("long").get("logits").get(i)),
                        "long, position " + positions[i]);
            }
            int[] greedy = Reference.ints(reference.get("greedy").get("tokens"));
            assertThat(harness.greedy(prompt, greedy.length, 64)).containsExactly(greedy);
        }
    }

    private static void assertRow(float[] found, float[] expected, String what) {
        assertThat(Reference.maxDifference(found, expected)).as(what).isLessThan(TOLERANCE);
        assertThat(ModelHarness.argMax(found)).as(what).isEqualTo(ModelHarness.argMax(expected));
    }

    @ParameterizedTest
    @CsvSource({"qwen4exp/q8_0, DEVICE, 50%", "qwen4exp/q8_0, PINNED, 100%", "qwen3next/q8_0, DEVICE, 50%", "qwen35moe/q8_0, DEVICE, 50%"})
    void chunksAndResidencyDoNotChangeABit(String name, ArenaKind kind, String capacity) {
        int[] tokens = Reference.ints(reference(name).get("long").get("tokens"));
        List<float[]> expected;
        try (ModelHarness harness = new ModelHarness(model(name), 64, CudaBackend.create(), KvType.F16, Experts.allResident())) {
            expected = harness.run(tokens, 64);
            assertSameBits(harness.run(tokens, 1), expected, "row by row");
        }
        ExpertOptions experts = Experts.sized(capacity, kind);
        try (ModelHarness harness = new ModelHarness(model(name), 64, CudaBackend.create(), KvType.F16, experts)) {
            assertSameBits(harness.run(tokens, 23), expected, kind + " arena of " + capacity);
        }
    }

    private static void assertSameBits(List<float[]> found, List<float[]> expected, String what) {
        for (int i = 0; i < expected.size(); i++) {
            ScalarReference.assertSameBits(found.get(i), expected.get(i), what + ", position " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void theDemoModelEqualsItsReference(int index) {
        JsonNode reference = Reference.json(Reference.resource("demo/reference.json.gz")).get("cases").get(index);
        try (ModelHarness harness = new ModelHarness(Reference.demoModel(), 128, CudaBackend.create(), KvType.F32, Experts.allResident())) {
            int[] tokens = Reference.ints(reference.get("tokens"));
            List<float[]> logits = harness.run(tokens, 128);
            assertThat(Reference.maxDifference(logits.getLast(), Reference.floats(reference.get("final_logits")))).isLessThan(TOLERANCE);
            int[] greedy = Reference.ints(reference.get("greedy"));
            assertThat(harness.greedy(tokens, greedy.length, 100)).containsExactly(greedy);
        }
    }

    /** Every token is that of a given text, so that no difference is carried on; the CPU's choice is asked for where it is one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theDemoModelChoosesAsOnTheCpuWhereverTheCpuIsSure(boolean prompt) {
        JsonNode reference = Reference.json(Reference.resource("demo/reference.json.gz")).get("cases").get(3);
        int[] tokens = Arrays.copyOf(Reference.ints(reference.get("tokens")), 256);
        List<float[]> expected;
        try (ModelHarness harness = new ModelHarness(Reference.demoModel(), 128, 4, KvType.F16, Experts.allResident())) {
            expected = harness.run(tokens, 128);
        }
        int sure = 0;
        try (ModelHarness harness = new ModelHarness(Reference.demoModel(), 128, CudaBackend.create(), KvType.F16, Experts.allResident());
                SequenceState sequence = harness.sequence()) {
            List<float[]> found = harness.feed(sequence, tokens, prompt ? 128 : 1, prompt);
            for (int i = 0; i < tokens.length; i++) {
                if (gap(expected.get(i)) > 0.05) {
                    sure++;
                    assertThat(ModelHarness.argMax(found.get(i))).as("position " + i).isEqualTo(ModelHarness.argMax(expected.get(i)));
                }
            }
        }
        assertThat(sure).as("positions where the CPU is sure").isGreaterThan(200);
    }

    /** What the greatest logit is ahead of the next. */
    private static float gap(float[] logits) {
        float most = Float.NEGATIVE_INFINITY;
        float next = Float.NEGATIVE_INFINITY;
        for (float v : logits) {
            next = Math.max(next, Math.min(v, most));
            most = Math.max(most, v);
        }
        return most - next;
    }

    @ParameterizedTest
    @CsvSource({"qwen4exp/q8_0, 100%", "qwen3moe/q8_0, 100%", "qwen3next/q8_0, 50%", "qwen35moe/q8_0, 50%"})
    void matesResidencyAndDraftsDoNotChangeABitOfDecodedRows(String name, String capacity) {
        int[] tokens = Arrays.copyOf(Reference.ints(reference(name).get("long").get("tokens")), 90);
        List<float[]> expected;
        try (ModelHarness harness = new ModelHarness(model(name), 64, CudaBackend.create(), KvType.F16, Experts.allResident());
                SequenceState sequence = harness.sequence()) {
            expected = harness.feed(sequence, tokens, 1, false);
        }
        try (ModelHarness harness = new ModelHarness(model(name), 64, CudaBackend.create(), KvType.F16,
                Experts.sized(capacity, ArenaKind.DEVICE))) {
            for (int chunk : new int[] {1, 4, 13, 40}) {
                try (SequenceState sequence = harness.sequence()) {
                    assertSameBits(harness.feed(sequence, tokens, chunk, false), expected, "rows at a time: " + chunk);
                }
            }
        }
    }

    /** The committed q8_0 files decode to the weights of f32, so they share a reference and a plain clone can check parity. */
    private static Path model(String name) {
        return name.endsWith("/q8_0") ? Reference.resource(name + ".gguf") : Reference.testData(name + ".gguf");
    }

    private static JsonNode reference(String name) {
        String architecture = name.substring(0, name.indexOf('/'));
        boolean own = name.endsWith("/mixed") || name.endsWith("/low") || name.endsWith("/iq");
        return Reference.json(own
                ? Reference.testData(architecture + "/reference-" + name.substring(name.indexOf('/') + 1) + ".json")
                : Reference.resource(architecture + "/reference-f32.json.gz"));
    }
}
