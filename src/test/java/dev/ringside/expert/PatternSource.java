package dev.ringside.expert;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.ExpertShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/** A source whose bytes follow from layer, expert and place in the slot, with layers of different sizes. A read that fails leaves half of it. */
final class PatternSource implements ExpertSource {

    private final int[] experts;
    private final SlotLayout layout;
    private final AtomicInteger reads = new AtomicInteger();
    private volatile IntPredicate fault = key -> false;
    private boolean apart;

    /** @param experts number of experts of each layer; 0 for a layer without */
    PatternSource(int... experts) {
        this(32, experts);
    }

    private PatternSource(int hidden, int[] experts) {
        this.experts = experts.clone();
        SlotLayout.Builder builder = SlotLayout.builder();
        for (int layer = 0; layer < experts.length; layer++) {
            if (experts[layer] > 0) {
                builder.add(layer, hidden, hidden, GgmlType.Q8_0, layer % 2 == 0 ? GgmlType.Q8_0 : GgmlType.Q4_0,
                        layer % 3 == 0 ? GgmlType.F16 : GgmlType.Q5_0);
            }
        }
        layout = builder.build();
    }

    /** A source of experts of several MiB, which are read in parts. */
    static PatternSource large(int... experts) {
        return new PatternSource(1536, experts);
    }

    /** Stages matrices apart from each other, as direct reads do, and overwrites what lies between them. */
    PatternSource stagingApart() {
        apart = true;
        return this;
    }

    @Override
    public boolean stagedApart() {
        return apart;
    }

    @Override
    public long stagingBytes() {
        return apart ? (layout.slotBytes() + 4095 & -4096) + 3 * 4096 : layout.slotBytes();
    }

    @Override
    public long stagedOffset(int layer, int expert, int role) {
        return layout.offset(layer, role) + role * 4096L + 64L * (expert % 5);
    }

    @Override
    public void stage(int layer, int expert, int piece, int pieces, MemorySegment slot) {
        if (!apart) {
            ExpertSource.super.stage(layer, expert, piece, pieces, slot);
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment whole = arena.allocate(layout.slotBytes());
            long bytes = layout.usedBytes(layer);
            long from = bytes * piece / pieces;
            long to = bytes * (piece + 1) / pieces;
            try {
                read(layer, expert, from, to - from, whole);
            } finally {
                for (int role = 0; role < 3; role++) {
                    long begin = Math.max(from, layout.offset(layer, role));
                    long end = Math.min(to, layout.offset(layer, role) + layout.bytes(layer, role));
                    if (begin < end) {
                        MemorySegment.copy(whole, begin, slot, stagedOffset(layer, expert, role) + begin - layout.offset(layer, role),
                                end - begin);
                    }
                }
            }
        }
    }

    void failWhen(IntPredicate keys) {
        fault = keys;
    }

    int reads() {
        return reads.get();
    }

    @Override
    public SlotLayout layout() {
        return layout;
    }

    @Override
    public int expertCount(int layer) {
        layout.shape(layer);
        return experts[layer];
    }

    @Override
    public void read(int layer, int expert, long offset, long length, MemorySegment slot) {
        reads.incrementAndGet();
        boolean fails = fault.test(ExpertKey.of(layer, expert));
        ExpertShape shape = layout.shape(layer);
        fill(layer, expert, shape.gateOffset(), SlotLayout.gateBytes(shape), offset, offset + (fails ? length / 2 : length), slot);
        fill(layer, expert, shape.upOffset(), SlotLayout.upBytes(shape), offset, offset + (fails ? length / 2 : length), slot);
        fill(layer, expert, shape.downOffset(), SlotLayout.downBytes(shape), offset, offset + (fails ? length / 2 : length), slot);
        if (fails) {
            throw new ExpertReadException(layer, expert, "pattern", offset, "injected", null);
        }
    }

    private static void fill(int layer, int expert, long begin, long bytes, long from, long to, MemorySegment slot) {
        for (long at = Math.max(begin, from); at < Math.min(begin + bytes, to); at++) {
            slot.set(ValueLayout.JAVA_BYTE, at, value(layer, expert, at));
        }
    }

    private static byte value(int layer, int expert, long at) {
        return (byte) (((layer * 31 + expert) * 0x9E3779B1L + at * 0x85EBCA6BL) >>> 11);
    }

    /** Whether a slot holds exactly this expert, gaps aside. */
    boolean matches(int layer, int expert, MemorySegment slot) {
        ExpertShape shape = layout.shape(layer);
        return matches(layer, expert, shape.gateOffset(), SlotLayout.gateBytes(shape), slot)
                && matches(layer, expert, shape.upOffset(), SlotLayout.upBytes(shape), slot)
                && matches(layer, expert, shape.downOffset(), SlotLayout.downBytes(shape), slot);
    }

    private static boolean matches(int layer, int expert, long begin, long bytes, MemorySegment slot) {
        for (long at = begin; at < begin + bytes; at++) {
            if (slot.get(ValueLayout.JAVA_BYTE, at) != value(layer, expert, at)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {}
}
