package dev.ringside.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.KvType;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The demo model against vectors of an independent float32 implementation on the dequantised weights. */
@TestInstance(Lifecycle.PER_CLASS)
class DemoParityTest {

    private static final double TOLERANCE = 1e-3;

    private final JsonNode cases = Reference.json(Reference.resource("demo/reference.json.gz")).get("cases");
    private ModelHarness harness;

    @BeforeAll
    void load() {
        harness = new ModelHarness(Reference.demoModel(), 128, 2, KvType.F32, Experts.allResident());
    }

    @AfterAll
    void close() {
        harness.close();
    }

    /** The last case has 734 tokens, so its attention is sparse. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void logitsEqualTheReference(int index) {
        JsonNode reference = cases.get(index);
        List<float[]> logits = harness.run(Reference.ints(reference.get("tokens")), 128);

        assertThat(Reference.maxDifference(logits.getLast(), Reference.floats(reference.get("final_logits")))).isLessThan(TOLERANCE);
        for (var entry : reference.get("top20_every_16").properties()) {
            float[] row = logits.get(Integer.parseInt(entry.getKey()));
            int[] ids = Reference.ints(entry.getValue().get("ids"));
            float[] top = new float[ids.length];
            Arrays.setAll(ids, i -> {
                top[i] = row[ids[i]];
                return ids[i];
            });
            assertThat(Reference.maxDifference(top, Reference.floats(entry.getValue().get("logits")))).as("position " + entry.getKey())
                    .isLessThan(TOLERANCE);
            assertThat(ModelHarness.argMax(row)).as("arg-max at " + entry.getKey()).isEqualTo(ids[0]);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void greedyContinuationEqualsTheReference(int index) {
        JsonNode reference = cases.get(index);
        int[] expected = Reference.ints(reference.get("greedy"));

        assertThat(harness.greedy(Reference.ints(reference.get("tokens")), expected.length, 100)).containsExactly(expected);
    }
}
