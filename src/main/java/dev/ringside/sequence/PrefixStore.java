package dev.ringside.sequence;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Prefixes of earlier sequences, for new ones that begin with the same tokens. Positional state is shared by reference, page by page;
 * recurrent state is copied to host memory, so models that have some can start only where it was kept. Prefixes that nobody has used for
 * longest give way first, those at the end of a chain before those in front of them. Used by the engine thread alone, except for
 * {@link #snapshot}.
 */
public final class PrefixStore implements AutoCloseable {

    private final StatePool pool;
    private final PrefixOptions options;
    private final LongSupplier clock;
    private final PrefixTree tree;
    private final PrefixSpill spill;
    private final PrefixRetention retention;
    private final long planeBytes;
    private long hits;
    private long misses;
    private long tokensSaved;
    private long failures;
    private boolean closed;
    private volatile PrefixSnapshot snapshot = PrefixSnapshot.NONE;

    /**
     * A store that lends pages of {@code pool} to prefixes for as long as nobody else needs them.
     *
     * @param directory where prefixes go that leave memory, or null; closed with the store
     */
    public PrefixStore(StatePool pool, CheckpointIdentity identity, PrefixOptions options, @Nullable SpillDirectory directory) {
        this(pool, identity, options, directory, System::nanoTime);
    }

    PrefixStore(StatePool pool, CheckpointIdentity identity, PrefixOptions options, @Nullable SpillDirectory directory,
            LongSupplier clock) {
        this.pool = pool;
        this.options = options;
        this.clock = clock;
        this.tree = new PrefixTree(pool);
        this.planeBytes = pool.layout().planeBytes();
        this.spill = new PrefixSpill(pool, identity, tree, directory);
        spill.load(clock.getAsLong());
        this.retention = new PrefixRetention(pool, options, tree, spill, clock);
        pool.reclaimWith(needed -> {
            retention.reclaim(needed);
            publish();
        });
        publish();
    }

    public PrefixOptions options() {
        return options;
    }

    /** Whether sequences can start behind any token of a prefix, not only where one ends. */
    public boolean startsAnywhere() {
        return planeBytes == 0;
    }

    /** Tokens, in whole pages, that the prompt has in common with some prefix, whether or not it can start there. */
    public int common(int[] tokens) {
        return tree.common(tokens);
    }

    /** Tokens that a prompt would begin behind now. */
    public int match(int[] prompt) {
        PrefixEntry entry = tree.longest(prompt, prompt.length - 1);
        int position = entry == null ? 0 : entry.position;
        return startsAnywhere() ? Math.max(position, tree.cut(prompt, prompt.length - 1).position()) : position;
    }

    /** Leading pages of a prompt that running sequences hold too, so that one more takes no memory. */
    public int pagesInUse(int[] prompt) {
        int count = 0;
        for (long page : tree.leadingPages(prompt, prompt.length)) {
            count += pool.isInUse(page) ? 1 : 0;
        }
        return count;
    }

    /** Restores a checkpoint, sharing the pages that prefixes hold instead of copying them. Fails as {@link Checkpoint#restore} does. */
    public void restore(SequenceState state, Checkpoint checkpoint, CheckpointIdentity of) {
        checkpoint.restore(state, of, tree.leadingPages(checkpoint.header().tokens(), checkpoint.position()));
    }

    /**
     * Makes a new sequence begin behind the longest prefix of a prompt; at least its last token is left to compute, since its logits are
     * needed.
     *
     * @param state holds no tokens yet
     * @return tokens it holds now, 0 when there is no prefix
     * @throws RuntimeException when the state could not be copied or its pages not be had; sequence and store are as they were
     */
    public int restore(SequenceState state, int[] prompt) {
        expire();
        int limit = Math.min(prompt.length - 1, state.maxTokens());
        int position = 0;
        try {
            position = start(state, prompt, limit);
        } catch (RuntimeException e) {
            failures++;
            throw e;
        } finally {
            if (position > 0) {
                state.expectNext(prompt[position]);
                hits++;
                tokensSaved += position;
            } else {
                misses++;
            }
            publish();
        }
        return position;
    }

    private int start(SequenceState state, int[] prompt, int limit) {
        while (true) {
            PrefixEntry entry = tree.longest(prompt, limit);
            if (startsAnywhere()) {
                PrefixTree.Cut cut = tree.cut(prompt, limit);
                if (cut.position() > (entry == null ? 0 : entry.position)
                        || entry != null && entry.resident && cut.position() == entry.position) {
                    stand(state, cut.pages(), prompt, cut.position(), null);
                    PrefixEntry source = cut.source();
                    if (source != null) {
                        touch(source);
                    }
                    return cut.position();
                }
            }
            if (entry == null) {
                return 0;
            }
            if (use(entry, state, prompt)) {
                touch(entry);
                return entry.position;
            }
        }
    }

    /** False when its file turned out to be no good, and the entry is gone. */
    private boolean use(PrefixEntry entry, SequenceState state, int[] prompt) {
        entry.pins++;
        try {
            if (entry.resident) {
                HostMemoryBlock plane = entry.plane;
                stand(state, tree.pagesOf(entry), prompt, entry.position, plane == null ? null : plane.segment());
                state.draftedTo(entry.draftLength, entry.following);
                return true;
            }
            if (!spill.restore(entry, state)) {
                tree.remove(entry);
                return false;
            }
        } finally {
            entry.pins--;
        }
        // It comes back into memory: who used it once will do so again.
        save(state, entry.position);
        return true;
    }

    private void touch(PrefixEntry entry) {
        entry.hits++;
        entry.lastUsed = clock.getAsLong();
    }

    private void stand(SequenceState state, long[] pages, int[] tokens, int position, @Nullable MemorySegment plane) {
        if (state.position() != 0 || state.preparedRows() != 0) {
            throw new IllegalStateException("Only a new sequence can start behind a prefix, this one is at position " + state.position());
        }
        if (plane != null) {
            try {
                pool.planeToDevice(plane, state.sparePlane());
                pool.synchronize();
            } catch (RuntimeException e) {
                Checkpoint.settle(pool, e);
                throw e;
            }
        }
        for (long page : pages) {
            pool.retainPage(page);
        }
        state.standOn(pages, pages.length, tokens, position, 0, SequenceState.NO_TOKEN);
    }

    /**
     * Keeps the state of a sequence between two steps as a prefix. Room is made before anything is copied.
     *
     * @param position of the sequence, or one whose state the last step kept ({@link SequenceState#prepareKeeping})
     * @return false when there is no room for it
     * @throws IllegalStateException when the sequence does not have the state of that position
     * @throws dev.ringside.gpu.DeviceException when the device can't copy; sequence and store are as they were
     */
    public boolean save(SequenceState state, int position) {
        long plane = state.planeAt(position);
        if (plane == 0) {
            throw new IllegalStateException(
                    "The state behind " + position + " tokens of a sequence at " + state.position() + " was not kept");
        }
        expire();
        PrefixEntry known = tree.find(state.tokens(), position);
        if (known != null && known.resident) {
            known.lastUsed = clock.getAsLong();
            tree.share(known, state);
            return true;
        }
        try {
            return store(state, position, plane);
        } catch (RuntimeException e) {
            failures++;
            throw e;
        } finally {
            publish();
        }
    }

    private boolean store(SequenceState state, int position, long plane) {
        long needed = planeBytes + 4L * (position % pool.layout().pageTokens());
        if (!retention.makeRoom(needed)) {
            return false;
        }
        HostMemoryBlock copy = null;
        if (planeBytes > 0) {
            copy = HostMemoryBlock.holding(planeBytes, retention.takeSpare());
            try {
                pool.planeToHost(plane, copy.segment());
                pool.synchronize();
            } catch (RuntimeException e) {
                Checkpoint.settle(pool, e);
                copy.close();
                throw e;
            }
        }
        PrefixEntry entry = tree.add(state.tokens(), position, clock.getAsLong());
        entry.draftLength = state.draftLengthAt(position);
        entry.following = state.followingAt(position);
        tree.hold(entry, state, copy);
        return true;
    }

    /** Drops what nobody has used for the time to live. Cheap until something is due. */
    public void expire() {
        if (retention.expire()) {
            publish();
        }
    }

    /** Drops a prefix by its id, or all of them; files too. Returns how many. */
    public int drop(@Nullable String id) {
        int dropped = 0;
        for (PrefixEntry entry : List.copyOf(tree.entries())) {
            if (entry.pins == 0 && (id == null || Long.toHexString(entry.hash).equals(id))) {
                retention.forget(entry);
                dropped++;
            }
        }
        publish();
        return dropped;
    }

    /** The prefixes used last, at most so many. */
    public List<PrefixInfo> list(int most) {
        long now = clock.getAsLong();
        List<PrefixEntry> entries = new ArrayList<>(tree.entries());
        entries.sort(Comparator.comparingLong(entry -> now - entry.lastUsed));
        return entries.stream().limit(most)
                .map(entry -> new PrefixInfo(Long.toHexString(entry.hash), entry.position, entry.bytes(), entry.hits,
                        TimeUnit.NANOSECONDS.toSeconds(now - entry.lastUsed), entry.resident, entry.file != null))
                .toList();
    }

    /** Figures as of the last change, from any thread. */
    public PrefixSnapshot snapshot() {
        return snapshot;
    }

    private void publish() {
        long now = clock.getAsLong();
        long oldest = now;
        for (PrefixEntry entry : tree.entries()) {
            oldest = Math.min(oldest, entry.createdAt);
        }
        snapshot = new PrefixSnapshot(tree.residents(), tree.bytes(), tree.pages(), hits, misses, tokensSaved, retention.evictions(),
                failures + retention.failures(), spill.files(),
                spill.bytes(), spill.refused(), TimeUnit.NANOSECONDS.toSeconds(now - oldest));
    }

    /** Writes what is in memory to files, where there is a directory, and gives all pages back. The pool must still be open. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        pool.reclaimWith(null);
        retention.close();
        spill.close();
        publish();
    }
}
