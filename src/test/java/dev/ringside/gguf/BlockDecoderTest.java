package dev.ringside.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class BlockDecoderTest {

    private static JsonNode vectors() throws IOException {
        try (InputStream stream = BlockDecoderTest.class.getResourceAsStream("quant_vectors.json")) {
            return JsonMapper.shared().readTree(stream);
        }
    }

    /** One block of each quantised type and its values, computed by the reference implementation. */
    @TestFactory
    List<DynamicTest> decodesTheReferenceBlock() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (var entry : vectors().properties()) {
            tests.add(DynamicTest.dynamicTest(entry.getKey(), () -> check(GgmlType.valueOf(entry.getKey()), entry.getValue())));
        }
        return tests;
    }

    private static void check(GgmlType type, JsonNode vector) {
        assertThat(type.id()).isEqualTo(vector.get("type_id").asInt());
        assertThat(type.blockElements()).isEqualTo(vector.get("block_elems").asInt());
        assertThat(type.blockBytes()).isEqualTo(vector.get("block_bytes").asInt());
        byte[] block = HexFormat.of().parseHex(vector.get("bytes_hex").asString());
        float[] decoded = new float[type.blockElements()];
        BlockDecoder.of(type).decode(MemorySegment.ofArray(block), 0, decoded, 0, decoded.length);
        for (int i = 0; i < decoded.length; i++) {
            double expected = vector.get("values").get(i).asDouble();
            assertThat((double) decoded[i]).as("element %d", i).isEqualTo(expected,
                    org.assertj.core.data.Offset.offset(Math.abs(expected) * 6e-8));
        }
    }

    @Test
    void everyQuantisedTypeHasAReferenceBlock() throws IOException {
        JsonNode vectors = vectors();
        for (GgmlType type : GgmlType.values()) {
            assertThat(vectors.has(type.name())).as(type.name()).isEqualTo(type.isQuantised());
        }
    }

    @ParameterizedTest
    @EnumSource
    void decodesSeveralBlocksFromAnyOffset(GgmlType type) throws IOException {
        byte[] block = new byte[type.blockBytes()];
        if (type.isQuantised()) {
            block = HexFormat.of().parseHex(vectors().get(type.name()).get("bytes_hex").asString());
        } else {
            block[block.length - 1] = 0x3F;
        }
        int n = type.blockElements();
        float[] one = new float[n];
        BlockDecoder.of(type).decode(MemorySegment.ofArray(block), 0, one, 0, n);
        byte[] two = new byte[3 + 2 * block.length];
        System.arraycopy(block, 0, two, 3, block.length);
        System.arraycopy(block, 0, two, 3 + block.length, block.length);
        float[] target = new float[2 * n + 2];
        BlockDecoder.of(type).decode(MemorySegment.ofArray(two), 3, target, 1, 2 * n);
        assertThat(target[0]).isZero();
        assertThat(target[2 * n + 1]).isZero();
        for (int i = 0; i < 2 * n; i++) {
            assertThat(target[1 + i]).as("element %d", i).isEqualTo(one[i % n]);
        }
    }

    @Test
    void plainFloatsKeepTheirValue() {
        float[] out = new float[1];
        BlockDecoder.of(GgmlType.F16).decode(MemorySegment.ofArray(new byte[] {0x00, 0x3E}), 0, out, 0, 1);
        assertThat(out[0]).isEqualTo(1.5f);
        BlockDecoder.of(GgmlType.BF16).decode(MemorySegment.ofArray(new byte[] {(byte) 0xC0, 0x3F}), 0, out, 0, 1);
        assertThat(out[0]).isEqualTo(1.5f);
        BlockDecoder.of(GgmlType.F32).decode(MemorySegment.ofArray(new byte[] {0, 0, (byte) 0xC0, 0x3F}), 0, out, 0, 1);
        assertThat(out[0]).isEqualTo(1.5f);
    }

    @Test
    void theSmallestMicroscalingExponentsAreSubnormal() {
        byte[] block = new byte[17];
        block[1] = 1;
        float[] out = new float[32];
        BlockDecoder.of(GgmlType.MXFP4).decode(MemorySegment.ofArray(block), 0, out, 0, 32);
        assertThat(out[0]).isEqualTo((float) Math.pow(2, -128));
        block[0] = 1;
        BlockDecoder.of(GgmlType.MXFP4).decode(MemorySegment.ofArray(block), 0, out, 0, 32);
        assertThat(out[0]).isEqualTo((float) Math.pow(2, -127));
    }

    @Test
    void refusesPartsOfABlock() {
        assertThatThrownBy(() -> BlockDecoder.of(GgmlType.Q8_0).decode(MemorySegment.ofArray(new byte[68]), 0, new float[64], 0, 33))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("32");
    }

    @Test
    void writesNothingWhenSourceOrTargetIsTooShort() {
        float[] target = new float[64];
        byte[] source = new byte[67];
        java.util.Arrays.fill(source, (byte) 0x11);
        BlockDecoder decoder = BlockDecoder.of(GgmlType.Q8_0);
        assertThatThrownBy(() -> decoder.decode(MemorySegment.ofArray(source), 0, target, 0, 64))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> decoder.decode(MemorySegment.ofArray(source), 0, target, 33, 32))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(target).containsOnly(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen3moe", "qwen3next", "qwen35moe", "qwen4exp"})
    void quantisedFixturesDecodeToTheirFloatTwin(String architecture) {
        Path data = Fixtures.directory();
        try (GgufFile quantised = GgufFile.open(data.resolve(architecture).resolve("q8_0.gguf"));
                GgufFile plain = GgufFile.open(data.resolve(architecture).resolve("f32.gguf"))) {
            assertThat(quantised.tensors()).anyMatch(tensor -> tensor.type() == GgmlType.Q8_0);
            for (TensorInfo tensor : plain.tensors()) {
                assertThat(decode(quantised, quantised.require(tensor.name()))).as(tensor.name()).isEqualTo(decode(plain, tensor));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen3moe/mixed", "qwen3moe/low", "qwen3moe/iq", "qwen3next/mixed", "qwen35moe/mixed", "qwen4exp/mixed",
        "qwen4exp/low",
        "qwen4exp/iq"})
    void everyTensorOfTheFixturesDecodesToFiniteNumbers(String name) {
        Path data = Fixtures.directory();
        try (GgufFile file = GgufFile.open(data.resolve(name + ".gguf"))) {
            for (TensorInfo tensor : file.tensors()) {
                for (float value : decode(file, tensor)) {
                    if (!(Math.abs(value) < 1000f)) {
                        throw new AssertionError(tensor.name() + " holds " + value);
                    }
                }
            }
        }
    }

    private static float[] decode(GgufFile file, TensorInfo tensor) {
        float[] values = new float[Math.toIntExact(tensor.elements())];
        BlockDecoder.of(tensor.type()).decode(file.data(tensor), 0, values, 0, values.length);
        return values;
    }
}
