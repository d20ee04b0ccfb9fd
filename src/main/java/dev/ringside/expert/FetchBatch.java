package dev.ringside.expert;

import org.jspecify.annotations.Nullable;

/**
 * Experts of one layer on their way into slots, and the job that reads them. Large experts are read in several parts so that few misses
 * still keep all readers busy.
 */
final class FetchBatch implements ReaderPool.Job {

    /** Smaller reads cost more in calls than they gain in queue depth. */
    private static final long MIN_PART_BYTES = 1L << 20;

    final int[] experts;
    final int[] slots;
    final long[] addresses;
    int count;
    int layer;
    /** Time the engine waited before this batch could be read. */
    long waitNanos;

    private final ExpertSource source;
    private final ExpertArena arena;
    private final FillLane lane;
    private final @Nullable Throwable[] failures;
    private final boolean[] givenUp;
    private final int[] reading;
    private int partsEach;

    FetchBatch(ExpertSource source, ExpertArena arena, FillLane lane) {
        this.source = source;
        this.arena = arena;
        this.lane = lane;
        this.experts = new int[lane.limit()];
        this.slots = new int[lane.limit()];
        this.addresses = new long[lane.limit()];
        this.failures = new Throwable[lane.limit()];
        this.givenUp = new boolean[lane.limit()];
        this.reading = new int[lane.limit()];
    }

    FillLane lane() {
        return lane;
    }

    /** Takes over {@code length} experts, whose slots are filled in next. */
    void take(int ofLayer, int[] from, int offset, int length) {
        layer = ofLayer;
        count = length;
        System.arraycopy(from, offset, experts, 0, length);
        for (int i = 0; i < length; i++) {
            failures[i] = null;
            givenUp[i] = false;
        }
    }

    /** Readies the job for so many readers; returns its number of parts. */
    int prepare(int readers) {
        partsEach = (int) Math.max(1, Math.min(readers, source.layout().usedBytes(layer) / MIN_PART_BYTES));
        int absent = 0;
        for (int i = 0; i < count; i++) {
            addresses[i] = arena.address(slots[i]);
            if (!lane.present(i)) {
                reading[absent++] = i;
            }
        }
        return absent * partsEach;
    }

    /** Whether an expert is in the batch. */
    boolean holds(int expert) {
        for (int i = 0; i < count; i++) {
            if (experts[i] == expert) {
                return true;
            }
        }
        return false;
    }

    /** Why an expert of a finished job is not whole, or null. */
    @Nullable
    ExpertReadException failure(int index) {
        Throwable cause = failures[index];
        if (cause == null || cause instanceof ExpertReadException) {
            return (ExpertReadException) cause;
        }
        return new ExpertReadException(layer, experts[index], null, ExpertReadException.NO_OFFSET, cause.toString(), cause);
    }

    /** Whether the expert is missing because its read was called off, not because it failed. */
    boolean givenUp(int index) {
        return givenUp[index];
    }

    @Override
    public void run(int part) {
        int index = reading[part / partsEach];
        int piece = part % partsEach;
        try {
            read(index, piece);
        } catch (Throwable e) {
            // Whatever it is, it concerns this expert: it is thrown to the one who asked once all readers are done.
            failures[index] = e;
        }
    }

    /** The part was not read and is not going to be. */
    @Override
    public void skipped(int part) {
        int index = reading[part / partsEach];
        givenUp[index] = failures[index] == null || givenUp[index];
        failures[index] = new ExpertReadException(layer, experts[index], null, ExpertReadException.NO_OFFSET, "the read was given up",
                null);
    }

    private void read(int index, int piece) {
        if (lane.staged()) {
            source.stage(layer, experts[index], piece, partsEach, lane.destination(index));
            return;
        }
        long bytes = source.layout().usedBytes(layer);
        long from = bytes * piece / partsEach;
        source.read(layer, experts[index], from, bytes * (piece + 1) / partsEach - from, lane.destination(index));
    }
}
