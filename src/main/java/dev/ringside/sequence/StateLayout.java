package dev.ringside.sequence;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a model keeps per sequence, and where. Positional state (attention keys and values, index block keys) lies in pages of
 * {@link #pageTokens()} positions; recurrent state (DeltaNet, histories) lies in a plane of fixed size. This is the one place that sizes,
 * saving and restoring go by.
 */
public final class StateLayout {

    /** Alignment in bytes of regions, pages and planes. */
    public static final int ALIGNMENT = 256;

    private final int pageTokens;
    private final long pageBytes;
    private final long planeBytes;
    private final List<StateRegion> regions;

    private StateLayout(Builder builder) {
        this.pageTokens = builder.pageTokens;
        this.pageBytes = builder.pageBytes;
        this.planeBytes = builder.planeBytes;
        this.regions = List.copyOf(builder.regions);
    }

    /**
     * A layout without regions yet.
     *
     * @param pageTokens positions of a page, at least 1
     */
    public static Builder builder(int pageTokens) {
        return new Builder(pageTokens);
    }

    /** Positions of a page. */
    public int pageTokens() {
        return pageTokens;
    }

    /** Bytes of a page, a multiple of {@value #ALIGNMENT}; 0 when nothing is positional. */
    public long pageBytes() {
        return pageBytes;
    }

    /** Bytes of a plane, a multiple of {@value #ALIGNMENT}; 0 when nothing is recurrent. */
    public long planeBytes() {
        return planeBytes;
    }

    /** All regions in the order in which they were added. */
    public List<StateRegion> regions() {
        return regions;
    }

    /** Pages that hold so many positions. */
    public int pagesFor(int positions) {
        if (positions < 0) {
            throw new IllegalArgumentException("A sequence cannot hold " + positions + " positions");
        }
        return positions == 0 ? 0 : (positions - 1) / pageTokens + 1;
    }

    /** Bytes of the state of a sequence at a position: its pages and one plane. */
    public long stateBytesAt(int position) {
        return Math.addExact(Math.multiplyExact(pagesFor(position), pageBytes), planeBytes);
    }

    /** Bytes of the regions alone at a position, as a {@link Checkpoint} holds them: without what aligns pages and planes. */
    public long payloadBytesAt(int position) {
        long bytes = 0;
        for (StateRegion region : regions) {
            bytes = Math.addExact(bytes, payloadBytesAt(region, position));
        }
        return bytes;
    }

    /** Bytes of one region at a position. */
    long payloadBytesAt(StateRegion region, int position) {
        return region.positional() ? Math.multiplyExact(pagesFor(position), region.bytes()) : region.bytes();
    }

    /** Differs when saved state can't be read as this layout: page size, and name, kind and bytes of every region. */
    public long hash() {
        long hash = Hashing.start(pageTokens);
        for (StateRegion region : regions) {
            hash = Hashing.add(hash, region.name());
            hash = Hashing.add(hash, region.positional() ? 1 : 0);
            hash = Hashing.add(hash, region.bytes());
        }
        return hash;
    }

    /** Collects the regions of a model. */
    public static final class Builder {

        private final int pageTokens;
        private final List<StateRegion> regions = new ArrayList<>();
        private final Set<String> names = new HashSet<>();
        private long pageBytes;
        private long planeBytes;

        private Builder(int pageTokens) {
            if (pageTokens < 1) {
                throw new IllegalArgumentException("ringside.kv.page-tokens: found " + pageTokens + ", expected at least 1");
            }
            this.pageTokens = pageTokens;
        }

        /**
         * Adds state that grows with the position.
         *
         * @param bytesPerPage bytes for {@code pageTokens} positions
         * @return byte offset in every page
         */
        public long positional(String name, long bytesPerPage) {
            long offset = pageBytes;
            pageBytes = add(name, true, offset, bytesPerPage);
            return offset;
        }

        /**
         * Adds state of fixed size.
         *
         * @return byte offset in every plane
         */
        public long recurrent(String name, long bytes) {
            long offset = planeBytes;
            planeBytes = add(name, false, offset, bytes);
            return offset;
        }

        private long add(String name, boolean positional, long offset, long bytes) {
            if (bytes <= 0) {
                throw new IllegalArgumentException("State '" + name + "' cannot be " + bytes + " bytes");
            }
            if (!names.add(name)) {
                throw new IllegalArgumentException("State '" + name + "' was added twice");
            }
            regions.add(new StateRegion(name, positional, offset, bytes));
            return Math.addExact(offset, Math.addExact(bytes, ALIGNMENT - 1L) & -ALIGNMENT);
        }

        public StateLayout build() {
            return new StateLayout(this);
        }
    }
}
