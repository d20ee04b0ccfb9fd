package dev.ringside.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.BlockSelection;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.RoutingTable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Tiny random models against an independent implementation: logits, residuals, router choices and greedy text. */
class FixtureParityTest {

    private static final double TOLERANCE = 1e-3;

    @ParameterizedTest
    @ValueSource(strings = {"qwen4exp/q8_0", "qwen4exp/f32", "qwen4exp/mixed", "qwen4exp/low", "qwen4exp/iq", "qwen3moe/q8_0",
        "qwen3moe/f32", "qwen3moe/mixed",
        "qwen3moe/low", "qwen3moe/iq", "qwen3next/q8_0", "qwen3next/q8_0-fused", "qwen3next/f32", "qwen3next/mixed", "qwen35moe/q8_0",
        "qwen35moe/f32",
        "qwen35moe/mixed"})
    void logitsOfShortAndLongPromptsEqualTheReference(String name) {
        JsonNode reference = reference(name);
        try (ModelHarness harness = harness(name)) {
            List<float[]> shortLogits = harness.run(Reference.ints(reference.get("short").get("tokens")), 64);
            for (int i = 0; i < shortLogits.size(); i++) {
                float[] expected = Reference.floats(reference.get("short").get("logits").get(i));
                assertThat(Reference.maxDifference(shortLogits.get(i), expected)).as("short, position " + i).isLessThan(TOLERANCE);
                assertThat(ModelHarness.argMax(shortLogits.get(i))).isEqualTo(ModelHarness.argMax(expected));
            }
            List<float[]> longLogits = harness.run(Reference.ints(reference.get("long").get("tokens")), 64);
            int[] positions = Reference.ints(reference.get("long").get("positions"));
            for (int i = 0; i < positions.length; i++) {
                float[] expected = Reference.floats(reference.get("long").get("logits").get(i));
                assertThat(Reference.maxDifference(longLogits.get(positions[i]), expected)).as("long, position " + positions[i])
                        .isLessThan(TOLERANCE);
                assertThat(ModelHarness.argMax(longLogits.get(positions[i]))).isEqualTo(ModelHarness.argMax(expected));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen4exp/q8_0", "qwen4exp/f32", "qwen4exp/mixed", "qwen4exp/low", "qwen4exp/iq", "qwen3moe/q8_0",
        "qwen3moe/f32", "qwen3moe/mixed",
        "qwen3moe/low", "qwen3moe/iq", "qwen3next/q8_0", "qwen3next/q8_0-fused", "qwen3next/f32", "qwen3next/mixed", "qwen35moe/q8_0",
        "qwen35moe/f32",
        "qwen35moe/mixed"})
    void greedyContinuationEqualsTheReference(String name) {
        JsonNode reference = reference(name);
        try (ModelHarness harness = harness(name)) {
            int[] expected = Reference.ints(reference.get("greedy").get("tokens"));
            assertThat(harness.greedy(Reference.ints(reference.get("short").get("tokens")), expected.length, 64)).containsExactly(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen4exp/q8_0", "qwen4exp/f32", "qwen4exp/mixed", "qwen4exp/low", "qwen4exp/iq", "qwen3moe/q8_0",
        "qwen3moe/f32", "qwen3moe/mixed",
        "qwen3moe/low", "qwen3moe/iq", "qwen3next/q8_0", "qwen3next/q8_0-fused", "qwen3next/f32", "qwen3next/mixed", "qwen35moe/q8_0",
        "qwen35moe/f32",
        "qwen35moe/mixed"})
    void residualsAndRouterChoicesEqualTheReference(String name) {
        JsonNode reference = reference(name).get("short");
        int[] tokens = Reference.ints(reference.get("tokens"));
        Trace trace = new Trace();
        try (ModelHarness harness = harness(name)) {
            harness.loaded().model().observe(trace);
            harness.run(tokens, tokens.length);
        }
        JsonNode residuals = reference.get("last_position").get("after_layer");
        assertThat(trace.residuals).hasSize(residuals.size());
        for (int layer = 0; layer < residuals.size(); layer++) {
            float[] expected = Reference.floats(residuals.get(layer));
            assertThat(Reference.maxDifference(trace.residuals.get(layer), expected)).as("layer " + layer).isLessThan(TOLERANCE);
            for (int position = 0; position < tokens.length; position++) {
                assertThat(trace.experts.get(layer)[position]).as("layer " + layer + ", position " + position)
                        .containsExactly(Reference.ints(reference.get("experts").get(layer).get(position)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen4exp/q8_0", "qwen4exp/f32", "qwen4exp/mixed", "qwen4exp/low", "qwen4exp/iq"})
    void keptIndexBlocksEqualTheReference(String name) {
        JsonNode reference = reference(name).get("long");
        int[] tokens = Reference.ints(reference.get("tokens"));
        Trace trace = new Trace();
        try (ModelHarness harness = new ModelHarness(model(name), tokens.length, 2, KvType.F32, Experts.allResident())) {
            harness.loaded().model().observe(trace);
            harness.run(tokens, tokens.length);
        }
        JsonNode layers = reference.get("kept_blocks");
        assertThat(trace.kept).hasSize(layers.size());
        for (int layer = 0; layer < layers.size(); layer++) {
            for (var entry : layers.get(layer).properties()) {
                assertThat(trace.kept.get(layer)[Integer.parseInt(entry.getKey())])
                        .as("attention layer " + layer + ", position " + entry.getKey())
                        .containsExactly(Reference.ints(entry.getValue()));
            }
        }
    }

    /** The committed q8_0 files decode to the weights of f32, so they share a reference and a plain clone can check parity. */
    private static Path model(String name) {
        return name.endsWith("/q8_0") ? Reference.resource(name + ".gguf") : Reference.testData(name + ".gguf");
    }

    private static JsonNode reference(String name) {
        String architecture = name.substring(0, name.indexOf('/'));
        boolean wide = name.endsWith("/mixed") || name.endsWith("/low") || name.endsWith("/iq");
        return Reference.json(wide
                ? Reference.testData(architecture + "/reference-" + name.substring(name.indexOf('/') + 1) + ".json")
                : Reference.resource(architecture + "/reference-f32.json.gz"));
    }

    private static ModelHarness harness(String name) {
        return new ModelHarness(model(name), 64, 2, KvType.F32, Experts.allResident());
    }

    /** Keeps the last row of each layer's residual and every row's experts. */
    private static final class Trace implements ForwardObserver {

        final List<float[]> residuals = new ArrayList<>();
        final List<int[][]> experts = new ArrayList<>();
        final List<int[][]> kept = new ArrayList<>();

        @Override
        public void selected(int layer, BlockSelection selection, int rows) {
            MemorySegment memory = MemorySegment.ofAddress(selection.data().address()).reinterpret(selection.data().bytes());
            int[][] blocks = new int[rows][];
            for (int row = 0; row < rows; row++) {
                MemorySegment line = memory.asSlice(row * selection.rowBytes(), selection.rowBytes());
                int count = line.get(ValueLayout.JAVA_INT, 0);
                blocks[row] = line.asSlice(4, 4L * count).toArray(ValueLayout.JAVA_INT);
            }
            kept.add(blocks);
        }

        @Override
        public void afterLayer(int layer, DevicePtr residual, int rows, int width) {
            MemorySegment memory = MemorySegment.ofAddress(residual.address()).reinterpret(residual.bytes());
            residuals.add(memory.asSlice(4L * (rows - 1) * width, 4L * width).toArray(ValueLayout.JAVA_FLOAT));
        }

        @Override
        public void routed(int layer, RoutingTable table, int rows) {
            int[][] chosen = new int[rows][table.choices()];
            for (int row = 0; row < rows; row++) {
                for (int i = 0; i < table.choices(); i++) {
                    chosen[row][i] = table.expert(row, i);
                }
            }
            experts.add(chosen);
        }
    }
}
