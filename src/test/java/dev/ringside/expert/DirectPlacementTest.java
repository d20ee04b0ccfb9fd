package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.expert.LayerExtents.Extent;
import dev.ringside.gguf.GgmlType;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.GgufWriter;
import dev.ringside.gpu.ExpertShape;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.host.HostBackend;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Experts of 1.4 MB in two layers of different types, in one file. */
class DirectPlacementTest {

    private static final int HIDDEN = 2048;
    private static final int WIDTH = 256;
    private static final int EXPERTS = 9;
    private static final List<GgmlType> GATES = List.of(GgmlType.Q8_0, GgmlType.Q4_0);

    @TempDir
    Path directory;

    private GgufFile file = GgufFile.open(Path.of("src/main/resources/models/ringside-demo.gguf"));

    @BeforeEach
    void write() throws IOException {
        file.close();
        Path path = directory.resolve("model.gguf");
        Random random = new Random(11);
        GgufWriter writer = GgufWriter.of("test");
        // What comes before decides where the experts lie within a page.
        writer.tensor("other", GgmlType.Q8_0, new long[] {HIDDEN, 5}, bytes(random, GgmlType.Q8_0, HIDDEN, 5));
        for (int layer = 0; layer < GATES.size(); layer++) {
            GgmlType gate = GATES.get(layer);
            writer.tensor("gate" + layer, gate, new long[] {HIDDEN, WIDTH, EXPERTS}, bytes(random, gate, HIDDEN, WIDTH * EXPERTS));
            writer.tensor("up" + layer, GgmlType.Q8_0, new long[] {HIDDEN, WIDTH, EXPERTS},
                    bytes(random, GgmlType.Q8_0, HIDDEN, WIDTH * EXPERTS));
            writer.tensor("down" + layer, GgmlType.Q8_0, new long[] {WIDTH, HIDDEN, EXPERTS},
                    bytes(random, GgmlType.Q8_0, WIDTH, HIDDEN * EXPERTS));
        }
        writer.write(path);
        file = GgufFile.open(path);
    }

    private static byte[] bytes(Random random, GgmlType type, int columns, int rows) {
        byte[] data = new byte[Math.toIntExact(type.rowBytes(columns) * rows)];
        random.nextBytes(data);
        return data;
    }

    @AfterEach
    void close() {
        file.close();
    }

    private List<ExpertTensors> layers() {
        return List.of(tensors(0), tensors(1));
    }

    private ExpertTensors tensors(int layer) {
        return new ExpertTensors(layer, file.require("gate" + layer), file.require("up" + layer), file.require("down" + layer));
    }

    private SlotLayout compact(int width) {
        SlotLayout.Builder builder = SlotLayout.builder();
        for (int layer = 0; layer < GATES.size(); layer++) {
            builder.add(layer, HIDDEN, width, GATES.get(layer), GgmlType.Q8_0, GgmlType.Q8_0);
        }
        return builder.build();
    }

    @Test
    void matricesLieWithinAPageAsInTheFileAndShareNone() {
        int shift = DirectPlacement.shift(layers(), compact(WIDTH));
        assertThat(shift).isBetween(0, SlotLayout.ALIGNMENT - 1);
        SlotLayout layout = DirectPlacement.layout(layers(), compact(WIDTH), shift);
        for (ExpertTensors tensors : layers()) {
            long page = -1;
            for (Extent part : LayerExtents.of(tensors, layout.shape(tensors.layer())).parts()) {
                assertThat(part.slotOffset() % SlotLayout.ALIGNMENT).isZero();
                assertThat((shift + part.slotOffset()) % 4096).isEqualTo(part.fileOffset() % 4096);
                assertThat((shift + part.slotOffset()) / 4096).isGreaterThan(page);
                page = (shift + part.slotOffset() + part.bytes() - 1) / 4096;
            }
            assertThat(layout.usedBytes(tensors.layer())).isLessThan(compact(WIDTH).usedBytes(tensors.layer()) + 6 * 4096);
        }
    }

    @Test
    void smallExpertsAreNotSpreadOut() {
        assertThat(DirectPlacement.shift(layers(), compact(WIDTH / 8))).isEqualTo(DirectPlacement.NONE);
    }

    @ParameterizedTest
    @CsvSource({"DEVICE,0,1", "DEVICE,0,4", "DEVICE,100%,4", "PINNED,0,1", "PINNED,0,4"})
    void expertsReadDirectlyAreTheirBytesInEverySlot(ArenaKind kind, String tier, int readers) {
        ReadOptions reads = ReadOptions.DEFAULT.withDirect(DirectReads.TRUE);
        GgufExpertSource source = GgufExpertSource.open(file, layers(), reads);
        ExpertOptions options = ExpertOptions.defaults(2, 0).withArena(kind).withCapacity(ExpertCapacity.parse("50%"))
                .withReaderThreads(readers).withTuning(ExpertTuning.DEFAULT.withReads(reads).withHostTier(HostTierSize.parse(tier)));
        int[] matching = new int[1];
        try (HostBackend backend = HostBackend.create(1);
                GpuStream stream = backend.createStream();
                ExpertFetcher fetcher = ExpertFetcher.open(backend, source, ExpertArenaFactory.configured(), options)) {
            for (int step = 0; step < 12; step++) {
                int layer = step & 1;
                int[] experts = {step % EXPERTS, (step + 4) % EXPERTS, (step * 5 + 2) % EXPERTS};
                int[] distinct = Arrays.stream(experts).distinct().toArray();
                if (step == 7) {
                    fetcher.resize(5);
                }
                fetcher.gather(layer, distinct, distinct.length, stream, (ids, addresses, count) -> {
                    for (int i = 0; i < count; i++) {
                        assertThat(matches(source, layer, ids[i], addresses[i])).as("layer %d, expert %d", layer, ids[i]).isTrue();
                        matching[0]++;
                    }
                });
            }
            assertThat(fetcher.snapshot().evictions()).isPositive();
        }
        assertThat(matching[0]).isGreaterThan(24);
    }

    private boolean matches(GgufExpertSource source, int layer, int expert, long address) {
        ExpertTensors of = tensors(layer);
        ExpertShape shape = source.layout().shape(layer);
        MemorySegment slot = MemorySegment.ofAddress(address).reinterpret(source.layout().usedBytes(layer));
        return same(slot, shape.gateOffset(), file.data(of.gate()), expert, of.gate().matrixBytes())
                && same(slot, shape.upOffset(), file.data(of.up()), expert, of.up().matrixBytes())
                && same(slot, shape.downOffset(), file.data(of.down()), expert, of.down().matrixBytes());
    }

    private static boolean same(MemorySegment slot, long offset, MemorySegment tensor, int expert, long bytes) {
        return MemorySegment.mismatch(slot, offset, offset + bytes, tensor, expert * bytes, (expert + 1) * bytes) < 0;
    }
}
