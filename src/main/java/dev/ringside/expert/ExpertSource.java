package dev.ringside.expert;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Where the bytes of experts come from. Reads are positional and safe from any number of threads at once. */
public interface ExpertSource extends AutoCloseable {

    /** How each layer's experts lie in a slot, and which layers have experts. */
    SlotLayout layout();

    /**
     * Number of experts of a layer.
     *
     * @throws IllegalArgumentException when the layer has no experts
     */
    int expertCount(int layer);

    /** Number of experts of all layers. */
    default int totalExperts() {
        int total = 0;
        for (int layer : layout().layers()) {
            total += expertCount(layer);
        }
        return total;
    }

    /** Bytes of all experts, without gaps. */
    default long totalBytes() {
        long total = 0;
        for (int layer : layout().layers()) {
            total += expertCount(layer) * layout().expertBytes(layer);
        }
        return total;
    }

    /**
     * Fills bytes {@code [offset, offset + length)} of a slot with those of an expert, so that parts of one expert can be read by several
     * threads. Gaps between the matrices of a slot are left as they are.
     *
     * @param slot the whole slot, at least {@code layout().usedBytes(layer)} bytes, readable from any thread
     * @throws ExpertReadException when not all of the bytes could be read; those of the range are then undefined
     */
    void read(int layer, int expert, long offset, long length, MemorySegment slot);

    /** Bytes of a staging slot, into which {@link #stage} reads; a multiple of 4096 where matrices lie apart. */
    default long stagingBytes() {
        return layout().slotBytes();
    }

    /** Whether the matrices of a staged expert lie at {@link #stagedOffset} rather than where they lie in a slot. */
    default boolean stagedApart() {
        return false;
    }

    /**
     * Whether {@link #stage} may read into the slots of an arena as well, when these are {@link #stagingBytes} apart and begin at multiples of
     * 4096: a staged expert lies there as in a slot that begins {@link #slotShift} bytes later.
     */
    default boolean slotsTakeWindows() {
        return false;
    }

    /** Bytes between the beginning of a staging slot and that of the expert in it, unless matrices lie apart; less than 256. */
    default int slotShift() {
        return 0;
    }

    /**
     * Where a matrix of a staged expert begins in its staging slot, whose address is a multiple of 4096.
     *
     * @param role 0 gate, 1 up, 2 down
     */
    default long stagedOffset(int layer, int expert, int role) {
        throw new IllegalStateException("Staged experts of this source lie as in a slot");
    }

    /**
     * Reads one of {@code pieces} pieces of an expert into a staging slot; all of them together make it whole. Bytes of the slot that belong
     * to no matrix may be overwritten, which lets a source read whole blocks of a file.
     *
     * @throws ExpertReadException when not all of the bytes could be read
     */
    default void stage(int layer, int expert, int piece, int pieces, MemorySegment slot) {
        long bytes = layout().usedBytes(layer);
        long from = bytes * piece / pieces;
        read(layer, expert, from, bytes * (piece + 1) / pieces - from, slot);
    }

    /** The files behind this source, if any; safe from any thread. */
    default List<ShardSnapshot> shards() {
        return List.of();
    }

    @Override
    void close();
}
