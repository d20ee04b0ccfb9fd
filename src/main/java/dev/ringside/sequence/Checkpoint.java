package dev.ringside.sequence;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The state of a sequence in host memory: its tokens and an image of every region, with a checksum each. It never changes; saving again
 * into its memory spends it. Restoring validates everything first, and a sequence that it can't be restored into stays as it was.
 */
public final class Checkpoint implements AutoCloseable {

    private static final int CRC_CHUNK = 1 << 30;

    private final HostMemoryBlock memory;
    private final CheckpointHeader header;
    private final MemorySegment payload;

    private Checkpoint(HostMemoryBlock memory, CheckpointHeader header) {
        this.memory = memory;
        this.header = header;
        this.payload = memory.segment().asSlice(0, header.payloadBytes());
    }

    /**
     * Saves a sequence between two steps.
     *
     * @param random state of its random generator, or empty
     * @throws IllegalStateException when a step is prepared
     * @throws dev.ringside.gpu.DeviceException when the device can't copy; the sequence is as it was
     */
    public static Checkpoint save(SequenceState state, CheckpointIdentity identity, long... random) {
        return save(state, identity, null, random);
    }

    /** Saves a sequence into the memory of this checkpoint, which is spent from here on, or into more if that is too little. */
    public Checkpoint saveInto(SequenceState state, CheckpointIdentity identity, long... random) {
        return save(state, identity, memory, random);
    }

    private static Checkpoint save(SequenceState state, CheckpointIdentity identity, @Nullable HostMemoryBlock reuse, long[] random) {
        int position = state.position();
        long plane = position == 0 && state.preparedRows() == 0 ? state.planeIn() : state.planeAt(position);
        if (plane == 0) {
            throw new IllegalStateException("A sequence with a prepared step can't be saved: commit it or roll it back");
        }
        long[] pages = new long[state.pageCount()];
        Arrays.setAll(pages, state::page);
        Drafted drafted = new Drafted(state.draftLengthAt(position), state.followingAt(position));
        return save(state.pool(), identity, pages, Arrays.copyOf(state.tokens(), position), drafted, plane, null, reuse, random);
    }

    /** How far the draft block is, and the token that its last row was computed for. */
    record Drafted(int length, int following) {}

    /** @param hostPlane a copy of the plane, used instead of the one on the device */
    static Checkpoint save(StatePool pool, CheckpointIdentity identity, long[] pages, int[] tokens, Drafted drafted, long plane,
            @Nullable MemorySegment hostPlane,
            @Nullable HostMemoryBlock reuse, long[] random) {
        StateLayout layout = pool.layout();
        HostMemoryBlock memory = HostMemoryBlock.holding(layout.payloadBytesAt(tokens.length), reuse);
        try {
            MemorySegment target = memory.segment();
            long offset = 0;
            for (StateRegion region : layout.regions()) {
                if (region.positional()) {
                    for (int page = 0; page < layout.pagesFor(tokens.length); page++, offset += region.bytes()) {
                        pool.copyToHost(region, pages[page], target, offset);
                    }
                } else {
                    if (hostPlane == null) {
                        pool.copyToHost(region, plane, target, offset);
                    } else {
                        MemorySegment.copy(hostPlane, region.offset(), target, offset, region.bytes());
                    }
                    offset += region.bytes();
                }
            }
            pool.synchronize();
            return new Checkpoint(memory,
                    CheckpointHeader.of(layout, identity, tokens, drafted.length(), drafted.following(), random,
                            checksums(layout, tokens.length, target)));
        } catch (RuntimeException e) {
            // Copies may be on their way even when one was refused.
            settle(pool, e);
            memory.close();
            throw e;
        }
    }

    /** A checkpoint over memory that was filled otherwise, such as from a file; nothing is validated before it is restored. */
    static Checkpoint of(HostMemoryBlock memory, CheckpointHeader header) {
        return new Checkpoint(memory, header);
    }

    private static int[] checksums(StateLayout layout, int position, MemorySegment payload) {
        List<StateRegion> regions = layout.regions();
        int[] checksums = new int[regions.size()];
        long offset = 0;
        for (int i = 0; i < checksums.length; i++) {
            long bytes = layout.payloadBytesAt(regions.get(i), position);
            checksums[i] = crc(payload.asSlice(offset, bytes));
            offset += bytes;
        }
        return checksums;
    }

    private static int crc(MemorySegment bytes) {
        CRC32C crc = new CRC32C();
        for (long at = 0; at < bytes.byteSize(); at += CRC_CHUNK) {
            crc.update(bytes.asSlice(at, Math.min(CRC_CHUNK, bytes.byteSize() - at)).asByteBuffer());
        }
        return (int) crc.getValue();
    }

    /** Tokens behind which the state stands. */
    public int position() {
        return header.position();
    }

    /** The token ids. */
    public int[] tokens() {
        return header.tokens().clone();
    }

    /** State of the random generator that was given when it was saved. */
    public long[] random() {
        return header.random().clone();
    }

    /** Bytes of state it holds: {@link StateLayout#payloadBytesAt}. */
    public long bytes() {
        return payload.byteSize();
    }

    /** Bytes of host memory it takes. */
    public long memoryBytes() {
        return memory.segment().byteSize();
    }

    CheckpointHeader header() {
        return header;
    }

    MemorySegment payload() {
        return payload;
    }

    /**
     * Makes a sequence stand where the saved one stood. It may hold other state, which is given back.
     *
     * @throws CheckpointException when the checkpoint is damaged or of another model, layout or KV type, naming the region and the difference
     * @throws StateExhaustedException when the sequence or the pool has no room for it
     * @throws dev.ringside.gpu.DeviceException when the device can't copy; in all cases the sequence is as it was
     */
    public void restore(SequenceState state, CheckpointIdentity identity) {
        restore(state, identity, new long[0]);
    }

    /** @param shared pages of the device with the contents of the first pages, which are shared instead of copied */
    void restore(SequenceState state, CheckpointIdentity identity, long[] shared) {
        StatePool pool = state.pool();
        StateLayout layout = pool.layout();
        requireIntact(layout, identity);
        if (state.preparedRows() > 0) {
            throw new IllegalStateException("A sequence with a prepared step can't be replaced: commit it or roll it back");
        }
        if (position() > state.maxTokens()) {
            throw new StateExhaustedException(
                    "A checkpoint of " + position() + " tokens does not fit into a sequence of at most " + state.maxTokens());
        }
        int count = layout.pagesFor(position());
        int common = Math.min(shared.length, count);
        long[] pages = Arrays.copyOf(shared, count);
        // First of all, or taking pages could make their only other holder let go of them.
        for (int i = 0; i < common; i++) {
            pool.retainPage(pages[i]);
        }
        int held = common;
        try {
            pool.takePages(pages, common, count);
            held = count;
            copy(pool, layout, pages, common, state.sparePlane());
            pool.synchronize();
        } catch (RuntimeException e) {
            settle(pool, e);
            pool.returnPages(pages, 0, held);
            throw e;
        }
        state.standOn(pages, count, header.tokens(), position(), header.draftLength(), header.following());
    }

    /** @throws CheckpointException as {@link #restore} does */
    void requireIntact(StateLayout layout, CheckpointIdentity identity) {
        header.requireFits(layout, identity);
        long offset = 0;
        for (CheckpointHeader.Image image : header.regions()) {
            int found = crc(payload.asSlice(offset, image.bytes()));
            if (found != image.crc()) {
                throw new CheckpointException(
                        "Region '" + image.name() + "' of the checkpoint is damaged: CRC32C " + Integer.toHexString(found)
                                + ", expected " + Integer.toHexString(image.crc()));
            }
            offset += image.bytes();
        }
    }

    private void copy(StatePool pool, StateLayout layout, long[] pages, int common, long plane) {
        long offset = 0;
        for (StateRegion region : layout.regions()) {
            if (region.positional()) {
                for (int page = 0; page < pages.length; page++, offset += region.bytes()) {
                    if (page >= common) {
                        pool.copyToDevice(region, payload, offset, pages[page]);
                    }
                }
            } else {
                pool.copyToDevice(region, payload, offset, plane);
                offset += region.bytes();
            }
        }
    }

    /** Waits for what was enqueued before the memory it uses goes to somebody else. */
    static void settle(StatePool pool, RuntimeException failure) {
        try {
            pool.synchronize();
        } catch (RuntimeException further) {
            failure.addSuppressed(further);
        }
    }

    /** Frees its memory. Idempotent. */
    @Override
    public void close() {
        memory.close();
    }
}
