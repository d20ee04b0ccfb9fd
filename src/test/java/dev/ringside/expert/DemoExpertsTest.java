package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.ExpertShape;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.host.HostBackend;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The built-in model's experts through the CPU backend, at several sizes of arena. */
class DemoExpertsTest {

    private static final Path MODEL = Path.of("src/main/resources/models/ringside-demo.gguf");

    private static List<ExpertTensors> layers(GgufFile file) {
        List<ExpertTensors> layers = new ArrayList<>();
        for (int layer = 0; layer < 64; layer++) {
            String prefix = "blk." + layer + ".ffn_";
            if (file.find(prefix + "gate_exps.weight") != null) {
                layers.add(new ExpertTensors(layer, file.require(prefix + "gate_exps.weight"), file.require(prefix + "up_exps.weight"),
                        file.require(prefix + "down_exps.weight")));
            }
        }
        return layers;
    }

    @ParameterizedTest
    @CsvSource({"DEVICE,25%", "PINNED,25%", "DEVICE,100%", "PINNED,100%", "DEVICE,3%", "PINNED,3%"})
    void everyExpertIsInItsSlotWhenItIsHandedOut(ArenaKind kind, String size) {
        try (GgufFile file = GgufFile.open(MODEL); HostBackend backend = HostBackend.create(1); GpuStream stream = backend.createStream()) {
            List<ExpertTensors> layers = layers(file);
            ExpertOptions options = ExpertOptions.defaults(2, 0).withArena(kind).withCapacity(ExpertCapacity.parse(size));
            GgufExpertSource source = GgufExpertSource.open(file, layers);
            int[] matching = new int[1];
            try (ExpertFetcher fetcher = ExpertFetcher.open(backend, source, ExpertArenaFactory.configured(), options)) {
                for (int round = 0; round < 2; round++) {
                    for (ExpertTensors tensors : layers) {
                        int count = source.expertCount(tensors.layer());
                        ExpertShape shape = source.layout().shape(tensors.layer());
                        fetcher.gather(tensors.layer(), IntStream.range(0, count).toArray(), count, stream, (experts, addresses, found) -> {
                            for (int i = 0; i < found; i++) {
                                matching[0] += matches(file, tensors, shape, experts[i], addresses[i]) ? 1 : 0;
                            }
                        });
                    }
                }
                ExpertSnapshot counters = fetcher.snapshot();
                assertThat(matching[0]).isEqualTo(2 * counters.experts());
                assertThat(counters.hits() + counters.misses()).isEqualTo(2L * counters.experts());
                assertThat(counters.resident()).isEqualTo(counters.slots());
            }
            assertThat(backend.memory().arenaBytes() + backend.memory().pinnedBytes()).isZero();
        }
    }

    private static boolean matches(GgufFile file, ExpertTensors tensors, ExpertShape shape, int expert, long address) {
        long end = shape.downOffset() + tensors.down().matrixBytes();
        MemorySegment slot = MemorySegment.ofAddress(address).reinterpret(end);
        return same(slot, shape.gateOffset(), file.data(tensors.gate()), expert, tensors.gate().matrixBytes())
                && same(slot, shape.upOffset(), file.data(tensors.up()), expert, tensors.up().matrixBytes())
                && same(slot, shape.downOffset(), file.data(tensors.down()), expert, tensors.down().matrixBytes());
    }

    private static boolean same(MemorySegment slot, long offset, MemorySegment tensor, int expert, long bytes) {
        return MemorySegment.mismatch(slot, offset, offset + bytes, tensor, expert * bytes, (expert + 1) * bytes) < 0;
    }
}
