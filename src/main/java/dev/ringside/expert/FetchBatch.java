package dev.ringside.expert;

import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Experts of one layer on their way into slots, and the job that reads them. Large experts are read in several parts so that few misses
 * still keep all readers busy.
 */
final class FetchBatch implements ReaderPool.Job {

    /** Smaller reads cost more in calls than they gain in queue depth. */
    private static final long MIN_PART_BYTES = 1L << 20;
    private static final int MAX_PARTS = 1 << 10;

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
    /** Parts of each expert that are still to run. */
    private final AtomicIntegerArray pending;
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
        this.pending = new AtomicIntegerArray(lane.limit());
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
        int absent = 0;
        for (int i = 0; i < count; i++) {
            addresses[i] = arena.address(slots[i]);
            if (!lane.present(i)) {
                reading[absent++] = i;
            }
        }
        partsEach = partsEach(readers, absent);
        for (int i = 0; i < count; i++) {
            pending.set(i, lane.present(i) ? 0 : partsEach);
        }
        return absent * partsEach;
    }

    /** Parts of an expert: its matrices, or equal pieces of them where few experts have to keep all readers busy. */
    private int partsEach(int readers, int absent) {
        int most = (int) Math.min(MAX_PARTS, source.layout().usedBytes(layer) / MIN_PART_BYTES);
        if (most < LayerExtents.ROLES) {
            return Math.max(1, Math.min(readers, most));
        }
        int wanted = Math.ceilDiv(readers, LayerExtents.ROLES * Math.max(1, absent));
        return LayerExtents.ROLES * Math.clamp(wanted, 1, most / LayerExtents.ROLES);
    }

    /** Whether nothing of the expert remains to be read; what was read is visible to the thread that asks then. */
    boolean settled(int index) {
        return pending.get(index) == 0;
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
        } finally {
            pending.decrementAndGet(index);
        }
    }

    /** The part was not read and is not going to be. */
    @Override
    public void skipped(int part) {
        int index = reading[part / partsEach];
        givenUp[index] = failures[index] == null || givenUp[index];
        failures[index] = new ExpertReadException(layer, experts[index], null, ExpertReadException.NO_OFFSET, "the read was given up",
                null);
        pending.decrementAndGet(index);
    }

    private void read(int index, int piece) {
        if (lane.staged()) {
            source.stage(layer, experts[index], piece, partsEach, lane.destination(index));
            return;
        }
        long begin = 0;
        long bytes = source.layout().usedBytes(layer);
        int pieces = partsEach;
        if (partsEach % LayerExtents.ROLES == 0) {
            pieces = partsEach / LayerExtents.ROLES;
            begin = source.layout().offset(layer, piece / pieces);
            bytes = source.layout().bytes(layer, piece / pieces);
        }
        int number = piece % pieces;
        long from = bytes * number / pieces;
        source.read(layer, experts[index], begin + from, bytes * (number + 1) / pieces - from, lane.destination(index));
    }
}
