package dev.ringside.sequence;

import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.GpuStream;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Device memory for the state of all sequences: pages, and a fixed set of planes for each sequence. All of it is taken when the pool is
 * made. Pages carry reference counts: sequences and the {@link PrefixStore} may hold the same page, which goes back when the last lets go
 * of it. Used by the engine thread alone, except for {@link #snapshot}.
 */
public final class StatePool implements AutoCloseable {

    private final GpuBackend backend;
    private final GpuStream stream;
    private final StateLayout layout;
    private final StateBudget budget;
    private final long pageStride;
    private final long planeStride;
    private final DevicePtr pages;
    private final DevicePtr planes;
    private final PageCounts counts;
    private final int[] freePlaces;
    private @Nullable PageReclaimer reclaimer;
    /** Written by the engine thread only, read by anyone. */
    private volatile int freePlaceCount;
    private boolean closed;

    /**
     * @param stream the stream that kernels run on; zeroing is enqueued there
     * @throws dev.ringside.gpu.DeviceOutOfMemoryException when the device cannot give the budget; nothing stays allocated
     */
    public StatePool(GpuBackend backend, GpuStream stream, StateLayout layout, StateBudget budget) {
        this.backend = backend;
        this.stream = stream;
        this.layout = layout;
        this.budget = budget;
        // Models without one kind of state still get addresses that tell pages and planes apart.
        this.pageStride = Math.max(layout.pageBytes(), StateLayout.ALIGNMENT);
        this.planeStride = Math.max(layout.planeBytes(), StateLayout.ALIGNMENT);
        long planeCount = Math.multiplyExact((long) budget.maxSequences(), budget.planes());
        this.pages = backend.allocate(Math.multiplyExact(budget.pages(), pageStride), "pages of sequence state");
        try {
            this.planes = backend.allocate(Math.multiplyExact(planeCount, planeStride), "recurrent state of sequences");
        } catch (DeviceException | ArithmeticException e) {
            try {
                backend.free(pages);
            } catch (DeviceException further) {
                e.addSuppressed(further);
            }
            throw e;
        }
        this.counts = new PageCounts((int) budget.pages());
        this.freePlaces = descending(budget.maxSequences());
        this.freePlaceCount = freePlaces.length;
    }

    private static int[] descending(int count) {
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = count - 1 - i;
        }
        return numbers;
    }

    public StateLayout layout() {
        return layout;
    }

    public StateBudget budget() {
        return budget;
    }

    /**
     * A new, empty sequence of at most {@code maxTokens} positions. Pages are taken as it grows, none are set aside.
     *
     * @throws StateExhaustedException when all sequences are in use, or the pool could never hold that many positions
     */
    public SequenceState acquire(int maxTokens) {
        SequenceState state = tryAcquire(maxTokens);
        if (state == null) {
            throw new StateExhaustedException("All " + budget.maxSequences() + " sequences are in use: wait until one ends or raise "
                    + "ringside.scheduler.max-active");
        }
        return state;
    }

    /**
     * Like {@link #acquire}, but null when all sequences are in use.
     *
     * @throws StateExhaustedException when the pool could never hold that many positions
     */
    public @Nullable SequenceState tryAcquire(int maxTokens) {
        requireOpen();
        if (maxTokens < 1) {
            throw new IllegalArgumentException("A sequence holds at least 1 token, found a limit of " + maxTokens);
        }
        int needed = layout.pagesFor(maxTokens);
        if (needed > counts.total()) {
            throw new StateExhaustedException("A sequence of " + maxTokens + " tokens needs " + needed + " pages of " + layout.pageTokens()
                    + " tokens, the pool has " + counts.total() + " in all");
        }
        int count = freePlaceCount;
        if (count == 0) {
            return null;
        }
        SequenceState state = new SequenceState(this, freePlaces[count - 1], maxTokens);
        zero(state.planeIn());
        freePlaceCount = count - 1;
        return state;
    }

    /** Sequences that can be acquired now. */
    public int freeSequences() {
        return freePlaceCount;
    }

    /** Pages that nobody holds. */
    public int freePages() {
        return counts.free();
    }

    /** Pages that can be taken now: those that nobody holds, and those that prefixes would give up. */
    public int availablePages() {
        return counts.free() + counts.kept();
    }

    /** Bytes a sequence of so many positions takes from the pool: its pages and all of its planes. */
    public long bytesFor(int positions) {
        return bytesOf(layout.pagesFor(positions));
    }

    /** Bytes of a sequence that holds so many pages. */
    long bytesOf(int pageCount) {
        return pageCount * pageStride + budget.planes() * planeStride;
    }

    /** What is held now, from any thread. */
    public StateSnapshot snapshot() {
        int sequences = budget.maxSequences() - freePlaceCount;
        int kept = counts.kept();
        long used = (long) counts.total() - counts.free() - kept;
        long placeBytes = budget.planes() * planeStride;
        return new StateSnapshot(sequences, budget.maxSequences(), layout.pageTokens(), pageStride, used, counts.total(), counts.shared(),
                kept,
                budget.planes(), planeStride, used * pageStride + sequences * placeBytes,
                counts.total() * pageStride + budget.maxSequences() * placeBytes);
    }

    /** Address of a plane of the sequence in {@code place}. */
    long planeAddress(int place, int plane) {
        return planes.address() + ((long) place * budget.planes() + plane) * planeStride;
    }

    /** Enqueues zeroing of a plane. */
    void zero(long planeAddress) {
        requireOpen();
        if (layout.planeBytes() > 0) {
            backend.zero(planes, planeAddress - planes.address(), layout.planeBytes(), stream);
        }
    }

    /** Who gives pages up when there are too few; at most one. */
    void reclaimWith(@Nullable PageReclaimer newReclaimer) {
        reclaimer = newReclaimer;
    }

    /** Makes sure that so many pages are free, or throws; what a reclaimer gave up for it stays given up. */
    void requireFree(int needed) {
        requireOpen();
        if (needed > counts.free() && reclaimer != null) {
            reclaimer.reclaim(needed);
        }
        if (needed > counts.free()) {
            throw new StateExhaustedException(
                    "A step needs " + needed + " more pages of " + layout.pageTokens() + " tokens, " + counts.free()
                            + " of " + counts.total() + " are free with " + (budget.maxSequences() - freePlaceCount) + " sequences alive");
        }
    }

    /** Fills {@code table[from..to)} with addresses of pages, or changes nothing and throws. */
    void takePages(long[] table, int from, int to) {
        requireFree(to - from);
        for (int i = from; i < to; i++) {
            table[i] = pages.address() + counts.take() * pageStride;
        }
    }

    /** Lets go of the pages in {@code table[from..to)}. */
    void returnPages(long[] table, int from, int to) {
        for (int i = from; i < to; i++) {
            releasePage(table[i]);
        }
    }

    /** One more holder of a page that is held. */
    void retainPage(long address) {
        counts.change(indexOf(address), 1, 0);
    }

    void releasePage(long address) {
        counts.change(indexOf(address), -1, 0);
    }

    /** As {@link #retainPage}, for a prefix, which gives the page up when it is needed. */
    void lendPage(long address) {
        counts.change(indexOf(address), 1, 1);
    }

    /** Undoes {@link #lendPage}. */
    void takeBackPage(long address) {
        counts.change(indexOf(address), -1, -1);
    }

    /** Whether a page has other holders than the one who asks. */
    boolean isShared(long address) {
        return counts.isShared(indexOf(address));
    }

    /** Whether sequences, and not only prefixes, hold a page. */
    boolean isInUse(long address) {
        return counts.isInUse(indexOf(address));
    }

    private int indexOf(long address) {
        return (int) ((address - pages.address()) / pageStride);
    }

    /** Enqueues a copy of a whole page. */
    void copyPage(long from, long to) {
        if (layout.pageBytes() > 0) {
            backend.copy(pages, from - pages.address(), pages, to - pages.address(), layout.pageBytes(), stream);
        }
    }

    /** Enqueues a copy of part of a page, or of a plane, to the host. */
    void copyToHost(StateRegion region, long base, MemorySegment target, long targetOffset) {
        DevicePtr memory = region.positional() ? pages : planes;
        backend.copyToHost(memory, base - memory.address() + region.offset(), target, targetOffset, region.bytes(), stream);
    }

    /** Enqueues the opposite; the source must stay until {@link #synchronize}. */
    void copyToDevice(StateRegion region, MemorySegment source, long sourceOffset, long base) {
        DevicePtr memory = region.positional() ? pages : planes;
        backend.copyToDevice(source, sourceOffset, memory, base - memory.address() + region.offset(), region.bytes(), stream);
    }

    /** Enqueues a copy of a whole plane to the host. */
    void planeToHost(long plane, MemorySegment target) {
        backend.copyToHost(planes, plane - planes.address(), target, 0, layout.planeBytes(), stream);
    }

    /** Enqueues a copy of a whole plane from the host; the source must stay until {@link #synchronize}. */
    void planeToDevice(MemorySegment source, long plane) {
        backend.copyToDevice(source, 0, planes, plane - planes.address(), layout.planeBytes(), stream);
    }

    /** Waits for all that was enqueued. */
    void synchronize() {
        stream.synchronize();
    }

    void returnPlace(int place) {
        int count = freePlaceCount;
        freePlaces[count] = place;
        freePlaceCount = count + 1;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("The state pool is closed");
        }
    }

    /** Waits for the stream, which must still be open, and frees the memory; sequences still alive become unusable. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        DeviceException failure = null;
        try {
            stream.synchronize();
        } catch (DeviceException e) {
            failure = e;
        }
        failure = free(pages, failure);
        failure = free(planes, failure);
        if (failure != null) {
            throw failure;
        }
    }

    private @Nullable DeviceException free(DevicePtr memory, @Nullable DeviceException earlier) {
        try {
            backend.free(memory);
        } catch (DeviceException e) {
            if (earlier == null) {
                return e;
            }
            earlier.addSuppressed(e);
        }
        return earlier;
    }
}
