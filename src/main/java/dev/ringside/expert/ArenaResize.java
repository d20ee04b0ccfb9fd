package dev.ringside.expert;

import dev.ringside.gpu.GpuStream;
import org.jspecify.annotations.Nullable;

/** Changes the number of slots of an arena and its cache while nothing is being gathered. */
record ArenaResize(ExpertArena arena, ExpertCache cache, @Nullable GpuStream stream) {

    /**
     * Grows or shrinks. Experts are evicted only where fewer fit, in the order of the policy; those left in slots that go are copied.
     *
     * @param quiesce ends whatever else is in flight
     */
    void to(int slots, Runnable quiesce) {
        quiesce.run();
        cache.beginStep();
        if (slots > cache.slots()) {
            arena.grow(slots);
            cache.resize(slots);
        } else if (slots < cache.slots()) {
            try {
                shrink(slots);
            } catch (RuntimeException e) {
                // Which of the moves went through is unknown.
                cache.clear();
                throw e;
            }
        }
    }

    private void shrink(int slots) {
        if (stream == null) {
            // Nothing was ever gathered, so there is nothing to keep.
            cache.resize(slots);
            arena.shrink(slots);
            return;
        }
        while (cache.resident() > slots) {
            cache.shed();
        }
        // Kernels may still read the slots that go, and those that are filled from them.
        stream.synchronize();
        int free = 0;
        for (int slot = slots; slot < cache.slots(); slot++) {
            if (cache.key(slot) >= 0) {
                free = cache.nextFree(free);
                arena.move(slot, free, stream);
                cache.move(slot, free);
            }
        }
        stream.synchronize();
        cache.resize(slots);
        arena.shrink(slots);
    }
}
