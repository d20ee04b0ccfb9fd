package dev.ringside.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.KvType;
import dev.ringside.gpu.StepRows;
import dev.ringside.model.DraftHead.Hidden;
import dev.ringside.sequence.LogitsMode;
import dev.ringside.sequence.SequenceState;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Draft blocks of tiny random models against an independent implementation. */
class DraftParityTest {

    private static final double TOLERANCE = 1e-3;

    @ParameterizedTest
    @ValueSource(strings = {"qwen4exp", "qwen35moe"})
    void draftsAndDraftsOnDraftsEqualTheReference(String architecture) {
        JsonNode reference = reference(architecture);
        int[] tokens = Reference.ints(reference.get("tokens"));
        int rows = tokens.length - 1;
        try (ModelHarness harness = harness(architecture); SequenceState sequence = harness.sequence()) {
            harness.step().clear();
            sequence.prepare(harness.step(), tokens, 0, tokens.length, false, LogitsMode.NONE);
            harness.forward();
            DraftHead head = Objects.requireNonNull(harness.loaded().model().draftHead());
            StepRows draft = draftRows(harness.step(), tokens, 0, rows);

            List<float[]> logits = harness.forward(head, draft, Hidden.TRUNK, IntStream.range(0, rows).toArray());

            int[] best = Reference.ints(reference.get("argmax_of_every_row"));
            for (int row = 0; row < rows; row++) {
                assertThat(ModelHarness.argMax(logits.get(row))).as("row " + row).isEqualTo(best[row]);
            }
            int[] last = Reference.ints(reference.get("last_rows"));
            for (int i = 0; i < last.length; i++) {
                assertThat(Reference.maxDifference(logits.get(last[i]), Reference.floats(reference.get("logits").get(i))))
                        .as("row " + last[i])
                        .isLessThan(TOLERANCE);
            }
            chain(harness, head, reference.get("chain"), rows);
        }
    }

    /** The demo's head attends densely, so does that of the tiny model: its file gives the block no compress ratio. */
    @ParameterizedTest
    @ValueSource(strings = {"qwen4exp", "qwen35moe"})
    void longSequencesEqualTheReference(String architecture) {
        JsonNode reference = reference(architecture).get("long");
        JsonNode expected = reference.has("logits_if_the_head_attends_densely")
                ? reference.get("logits_if_the_head_attends_densely")
                : reference.get("logits").get(reference.get("logits").size() - 1);
        int[] tokens = Reference
                .ints(Reference.json(Reference.resource(architecture + "/reference-f32.json.gz")).get("long").get("tokens"));
        int rows = tokens.length - 1;
        try (ModelHarness harness = harness(architecture); SequenceState sequence = harness.sequence()) {
            harness.step().clear();
            sequence.prepare(harness.step(), tokens, 0, tokens.length, false, LogitsMode.NONE);
            harness.forward();
            DraftHead head = Objects.requireNonNull(harness.loaded().model().draftHead());
            StepRows draft = draftRows(harness.step(), tokens, 0, rows);

            List<float[]> logits = harness.forward(head, draft, Hidden.TRUNK, IntStream.range(0, rows).toArray());

            JsonNode last = expected.get(0).isArray() ? expected.get(expected.size() - 1) : expected;
            assertThat(Reference.maxDifference(logits.getLast(), Reference.floats(last))).isLessThan(TOLERANCE);
        }
    }

    private static void chain(ModelHarness harness, DraftHead head, JsonNode chain, int rows) {
        int hiddenRow = rows - 1;
        for (int i = 0; i < chain.size(); i++) {
            int token = chain.get(i).get("token").asInt();
            if (i > 0) {
                StepRows one = draftRows(harness.step(), new int[] {0, chain.get(i - 1).get("token").asInt()}, rows + i - 1, 1);
                float[] logits = harness.forward(head, one, Hidden.DRAFT, new int[] {hiddenRow}).getFirst();
                hiddenRow = 0;
                assertThat(ModelHarness.argMax(logits)).as("draft " + i).isEqualTo(token);
                assertThat(Reference.maxDifference(logits, Reference.floats(chain.get(i).get("logits")))).as("draft " + i)
                        .isLessThan(TOLERANCE);
            }
        }
    }

    /** Rows of the sequence in a step, each with the token that follows it. */
    private static StepRows draftRows(StepRows step, int[] tokens, int position, int count) {
        StepRows rows = new StepRows(step.maxRows());
        rows.beginSegment(step.pages(0), step.planeIn(0));
        for (int i = 0; i < count; i++) {
            rows.addRow(tokens[i + 1], position + i, i == count - 1 ? step.planeOut(step.rows() - 1) : 0, true);
        }
        return rows;
    }

    private static JsonNode reference(String architecture) {
        return Reference.json(Reference.resource(architecture + "/reference-f32.json.gz")).get("draft");
    }

    private static ModelHarness harness(String architecture) {
        return new ModelHarness(Reference.resource(architecture + "/q8_0.gguf"), 150, 2, KvType.F32, Experts.allResident());
    }
}
