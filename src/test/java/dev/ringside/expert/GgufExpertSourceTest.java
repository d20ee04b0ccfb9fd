package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gguf.GgufException;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.GgufWriter;
import dev.ringside.gpu.ExpertShape;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GgufExpertSourceTest {

    private static final int HIDDEN = 64;
    private static final int WIDTH = 32;
    private static final int EXPERTS = 5;

    @TempDir
    Path directory;

    private static byte[] random(int seed, long bytes) {
        byte[] data = new byte[(int) bytes];
        new Random(seed).nextBytes(data);
        return data;
    }

    private Path write(boolean fused) throws IOException {
        GgufWriter writer = GgufWriter.of("test");
        long row = GgmlType.Q8_0.rowBytes(HIDDEN);
        if (fused) {
            writer.tensor("gate_up", GgmlType.Q8_0, new long[] {HIDDEN, 2 * WIDTH, EXPERTS}, random(1, row * 2 * WIDTH * EXPERTS));
        } else {
            writer.tensor("gate", GgmlType.Q8_0, new long[] {HIDDEN, WIDTH, EXPERTS}, random(1, row * WIDTH * EXPERTS));
            writer.tensor("up", GgmlType.Q8_0, new long[] {HIDDEN, WIDTH, EXPERTS}, random(2, row * WIDTH * EXPERTS));
        }
        writer.tensor("down", GgmlType.Q4_0, new long[] {WIDTH, HIDDEN, EXPERTS},
                random(3, GgmlType.Q4_0.rowBytes(WIDTH) * HIDDEN * EXPERTS));
        Path path = directory.resolve("model.gguf");
        Files.write(path, writer.bytes());
        return path;
    }

    private static ExpertTensors tensors(GgufFile file, int layer, String gate, String up, String down) {
        return new ExpertTensors(layer, file.require(gate), file.require(up), file.require(down));
    }

    /** Reads every expert in two parts and compares it with the mapping of the file. */
    private static void assertSameAsMapping(GgufFile file, List<ExpertTensors> layers) {
        try (GgufExpertSource source = GgufExpertSource.open(file, layers); Arena arena = Arena.ofShared()) {
            MemorySegment slot = arena.allocate(source.layout().slotBytes());
            for (ExpertTensors tensors : layers) {
                ExpertShape shape = source.layout().shape(tensors.layer());
                for (int expert = 0; expert < source.expertCount(tensors.layer()); expert++) {
                    slot.fill((byte) 0xCD);
                    long used = source.layout().usedBytes(tensors.layer());
                    long cut = used / 3;
                    source.read(tensors.layer(), expert, cut, used - cut, slot);
                    source.read(tensors.layer(), expert, 0, cut, slot);
                    MemorySegment gate = file.data(tensors.gate()).asSlice(expert * tensors.gate().matrixBytes());
                    MemorySegment up = file.data(tensors.up()).asSlice(expert * tensors.up().matrixBytes());
                    MemorySegment down = file.data(tensors.down()).asSlice(expert * tensors.down().matrixBytes());
                    assertThat(same(slot, shape.gateOffset(), gate, 0, SlotLayout.gateBytes(shape))).isTrue();
                    assertThat(
                            same(slot, shape.upOffset(), up, tensors.fused() ? SlotLayout.gateBytes(shape) : 0, SlotLayout.upBytes(shape)))
                            .isTrue();
                    assertThat(same(slot, shape.downOffset(), down, 0, SlotLayout.downBytes(shape))).isTrue();
                }
            }
        }
    }

    private static boolean same(MemorySegment slot, long slotOffset, MemorySegment file, long fileOffset, long bytes) {
        return MemorySegment.mismatch(slot, slotOffset, slotOffset + bytes, file, fileOffset, fileOffset + bytes) < 0;
    }

    @Test
    void expertsAreReadAsTheFileHoldsThem() throws IOException {
        try (GgufFile file = GgufFile.open(write(false))) {
            assertSameAsMapping(file, List.of(tensors(file, 3, "gate", "up", "down")));
        }
    }

    @Test
    void fusedGateAndUpAreTakenApart() throws IOException {
        try (GgufFile file = GgufFile.open(write(true))) {
            assertSameAsMapping(file, List.of(tensors(file, 0, "gate_up", "gate_up", "down")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen4exp/f32.gguf", "qwen4exp/mixed.gguf", "qwen3next/q8_0-fused.gguf",
        "split/qwen3moe-q8_0-00001-of-00003.gguf"})
    void modelFilesAreReadAsTheyAre(String name) {
        String fixtures = System.getenv("RINGSIDE_TESTDATA");
        Assumptions.assumeTrue(fixtures != null, "RINGSIDE_TESTDATA is not set");
        try (GgufFile file = GgufFile.open(Path.of(fixtures, name))) {
            List<ExpertTensors> layers = new ArrayList<>();
            for (int layer = 0; layer < 64; layer++) {
                String prefix = "blk." + layer + ".ffn_";
                if (file.find(prefix + "gate_exps.weight") != null) {
                    layers.add(tensors(file, layer, prefix + "gate_exps.weight", prefix + "up_exps.weight", prefix + "down_exps.weight"));
                } else if (file.find(prefix + "gate_up_exps.weight") != null) {
                    layers.add(tensors(file, layer, prefix + "gate_up_exps.weight", prefix + "gate_up_exps.weight",
                            prefix + "down_exps.weight"));
                }
            }
            assertThat(layers).isNotEmpty();
            assertSameAsMapping(file, layers);
        }
    }

    @Test
    void tensorsThatDoNotFitTogetherAreNamedWithBothShapes() throws IOException {
        try (GgufFile file = GgufFile.open(write(false))) {
            assertThatThrownBy(() -> GgufExpertSource.open(file, List.of(tensors(file, 0, "gate", "down", "down"))))
                    .isInstanceOf(GgufException.class)
                    .hasMessageContaining("tensor 'down'").hasMessageContaining("{64, 32, 5}").hasMessageContaining("found {32, 64, 5}");
        }
    }

    @Test
    void fileCutShortIsNamedWithOffsetAndLengths() throws IOException {
        Path path = write(false);
        try (GgufFile file = GgufFile.open(path);
                GgufExpertSource source = GgufExpertSource.open(file, List.of(tensors(file, 2, "gate", "up", "down")));
                Arena arena = Arena.ofShared()) {
            long offset = file.require("down").fileOffset() + 4 * file.require("down").matrixBytes();
            try (RandomAccessFile writable = new RandomAccessFile(path.toFile(), "rw")) {
                writable.setLength(offset + 100);
            }
            MemorySegment slot = arena.allocate(source.layout().slotBytes());
            assertThatThrownBy(() -> source.read(2, 4, 0, source.layout().usedBytes(2), slot))
                    .isInstanceOfSatisfying(ExpertReadException.class, e -> {
                        assertThat(e.layer()).isEqualTo(2);
                        assertThat(e.expert()).isEqualTo(4);
                        assertThat(e.offset()).isEqualTo(offset);
                        assertThat(e.shard()).isEqualTo(path.toString());
                    }).hasMessageContaining("after 100 of 1152 bytes");
        }
    }

    @Test
    void interruptedReaderDoesNotCloseTheFileForOthers() throws IOException {
        try (GgufFile file = GgufFile.open(write(false));
                GgufExpertSource source = GgufExpertSource.open(file, List.of(tensors(file, 0, "gate", "up", "down")));
                Arena arena = Arena.ofShared()) {
            MemorySegment slot = arena.allocate(source.layout().slotBytes());
            Thread.currentThread().interrupt();
            source.read(0, 1, 0, source.layout().usedBytes(0), slot);
            assertThat(Thread.interrupted()).isTrue();
            source.read(0, 2, 0, source.layout().usedBytes(0), slot);
            assertThat(same(slot, 0, file.data(file.require("gate")), 2 * file.require("gate").matrixBytes(),
                    file.require("gate").matrixBytes()))
                    .isTrue();
        }
    }

    @Test
    void readAfterCloseFailsClearly() throws IOException {
        try (GgufFile file = GgufFile.open(write(false)); Arena arena = Arena.ofShared()) {
            GgufExpertSource source = GgufExpertSource.open(file, List.of(tensors(file, 0, "gate", "up", "down")));
            MemorySegment slot = arena.allocate(source.layout().slotBytes());
            source.close();
            source.close();
            assertThatThrownBy(() -> source.read(0, 1, 0, 64, slot)).isInstanceOf(ExpertReadException.class);
        }
    }
}
