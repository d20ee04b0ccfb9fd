package dev.ringside.expert;

import dev.ringside.gpu.Closing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** The allocations that the slots of an arena lie in, so that an arena can grow and give memory back without moving most of it. */
final class SlotChunks<T> {

    private static final long CHUNK_BYTES = 256L << 20;

    private final long slotBytes;
    private final List<T> chunks = new ArrayList<>();
    /** Number of the first slot behind each chunk. */
    private final List<Integer> ends = new ArrayList<>();
    private int[] chunkOf = new int[0];
    private long[] offsetOf = new long[0];

    SlotChunks(long slotBytes) {
        this.slotBytes = slotBytes;
    }

    /**
     * Allocates until so many slots fit. When an allocation fails, what this call took is given back.
     *
     * @param allocate takes bytes
     */
    void grow(int slots, LongFunction<T> allocate, Consumer<T> free) {
        int before = capacity();
        int each = (int) Math.clamp(CHUNK_BYTES / slotBytes, 1, 1 << 20);
        try {
            while (capacity() < slots) {
                int count = Math.min(each, slots - capacity());
                T chunk = allocate.apply(Math.multiplyExact(count, slotBytes));
                ends.add(capacity() + count);
                chunks.add(chunk);
            }
        } catch (RuntimeException e) {
            Closing closing = new Closing();
            closing.run(() -> shrink(before, free));
            closing.addTo(e);
            throw e;
        }
        index();
    }

    /** Frees the allocations that only slots from {@code slots} on lie in, all of them even if one fails. */
    void shrink(int slots, Consumer<T> free) {
        Closing closing = new Closing();
        while (!chunks.isEmpty() && (chunks.size() == 1 ? 0 : ends.get(ends.size() - 2)) >= slots) {
            ends.removeLast();
            T chunk = chunks.removeLast();
            closing.run(() -> free.accept(chunk));
        }
        index();
        closing.finish();
    }

    private void index() {
        chunkOf = new int[capacity()];
        offsetOf = new long[capacity()];
        int first = 0;
        for (int chunk = 0; chunk < chunks.size(); chunk++) {
            Arrays.fill(chunkOf, first, ends.get(chunk), chunk);
            for (int slot = first; slot < ends.get(chunk); slot++) {
                offsetOf[slot] = (slot - first) * slotBytes;
            }
            first = ends.get(chunk);
        }
    }

    /** Slots that fit in what is allocated. */
    int capacity() {
        return ends.isEmpty() ? 0 : ends.getLast();
    }

    T chunk(int slot) {
        return chunks.get(chunkOf[slot]);
    }

    long offset(int slot) {
        return offsetOf[slot];
    }
}
