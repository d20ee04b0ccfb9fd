package dev.ringside.expert;

import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.GpuStream;
import java.util.ArrayList;
import java.util.List;

/** A fetcher on the simulated device, with kernels that check the slots they read at the time they run. */
final class FetcherRig implements AutoCloseable {

    final PatternSource source;
    final DeferredBackend backend;
    final GpuStream stream;
    final ExpertArena arena;
    final ExpertOptions options;
    final ExpertFetcher fetcher;
    /** Experts handed out by the last gather, wave by wave. */
    final List<List<Integer>> waves = new ArrayList<>();

    FetcherRig(PatternSource source, DeferredBackend backend, ExpertOptions options) {
        this.source = source;
        this.options = options;
        this.backend = backend;
        this.stream = backend.createStream();
        this.arena = ExpertArenaFactory.configured().create(backend, source, options);
        this.fetcher = new ExpertFetcher(source, arena, options);
    }

    static ExpertOptions options(ArenaKind kind, PatternSource source, int slots, int expertsPerToken) {
        long bytes = slots * source.layout().slotBytes();
        return ExpertOptions.defaults(expertsPerToken, 0).withArena(kind).withCapacity(new ExpertCapacity.Bytes(bytes, bytes + "B"));
    }

    void gather(int layer, int... experts) {
        gatherFor(stream, layer, experts);
    }

    /** Launches the checking kernels on another stream than the one the experts were gathered for. */
    void gatherFor(GpuStream kernels, int layer, int... experts) {
        waves.clear();
        fetcher.gather(layer, experts, experts.length, stream, (ids, addresses, count) -> {
            List<Integer> wave = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int expert = ids[i];
                wave.add(expert);
                checkLater(kernels, layer, expert, addresses[i]);
            }
            waves.add(wave);
        });
    }

    /** Launches a kernel that checks a slot when it runs. */
    void checkLater(GpuStream kernels, int layer, int expert, long address) {
        backend.launch(kernels, () -> {
            if (!source.matches(layer, expert, backend.bytes(address, source.layout().usedBytes(layer)))) {
                backend.violation("a kernel read other bytes than those of layer " + layer + ", expert " + expert);
            }
        });
    }

    List<Integer> delivered() {
        return waves.stream().flatMap(List::stream).toList();
    }

    /** Waits for the device and lists the slots whose key leads to bytes that are not its own. */
    List<String> poisonedSlots() {
        backend.drain();
        List<String> poisoned = new ArrayList<>();
        for (int slot = 0; slot < arena.slots(); slot++) {
            int key = fetcher.keyIn(slot);
            if (key >= 0 && !source.matches(ExpertKey.layer(key), ExpertKey.expert(key),
                    backend.bytes(arena.address(slot), arena.slotBytes()))) {
                poisoned.add("slot " + slot + ": " + ExpertKey.toString(key));
            }
        }
        return poisoned;
    }

    @Override
    public void close() {
        backend.failNever();
        source.failWhen(key -> false);
        fetcher.close();
        backend.close();
    }
}
