package dev.ringside.sequence;

import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which prefixes of a {@link PrefixStore} stay: within its budget, for as long as somebody uses them, and while no sequence needs the pages. */
final class PrefixRetention {

    private static final Logger log = LoggerFactory.getLogger(PrefixStore.class);

    private final StatePool pool;
    private final PrefixOptions options;
    private final PrefixTree tree;
    private final PrefixSpill spill;
    private final LongSupplier clock;
    /** Memory of the prefix that was let go last: as a rule the next one wants it. */
    private @Nullable HostMemoryBlock spare;
    private long nextExpiry;
    private long evictions;
    private long failures;
    private boolean closing;

    PrefixRetention(StatePool pool, PrefixOptions options, PrefixTree tree, PrefixSpill spill, LongSupplier clock) {
        this.pool = pool;
        this.options = options;
        this.tree = tree;
        this.spill = spill;
        this.clock = clock;
        this.nextExpiry = clock.getAsLong() + options.ttl().toNanos();
    }

    /** Prefixes that gave way or expired. */
    long evictions() {
        return evictions;
    }

    /** Prefixes that could not be written to a file. */
    long failures() {
        return failures;
    }

    /** Memory for the next prefix, or null; the caller's from here on. */
    @Nullable
    HostMemoryBlock takeSpare() {
        HostMemoryBlock taken = spare;
        spare = null;
        return taken;
    }

    /** Makes room for one more entry of so many bytes; false when there can't be any. */
    boolean makeRoom(long bytes) {
        while (tree.bytes() + bytes > options.memoryBytes() || tree.residents() >= options.maxEntries()) {
            PrefixEntry victim = bytes > options.memoryBytes() ? null : leastRecentlyUsed(false);
            if (victim == null) {
                return false;
            }
            evict(victim);
        }
        return true;
    }

    /** Gives up prefixes until so many pages are free, first those that free one by themselves. */
    void reclaim(int needed) {
        while (pool.freePages() < needed) {
            PrefixEntry victim = leastRecentlyUsed(true);
            if (victim == null) {
                victim = leastRecentlyUsed(false);
            }
            if (victim == null) {
                return;
            }
            evict(victim);
        }
    }

    /** Only ends of chains: those in front are what more prompts have in common. */
    private @Nullable PrefixEntry leastRecentlyUsed(boolean freesPages) {
        PrefixEntry best = null;
        for (PrefixEntry entry : tree.entries()) {
            if (entry.resident && entry.pins == 0 && (best == null || entry.lastUsed - best.lastUsed < 0) && !entry.node.hasResidentsBelow()
                    && (!freesPages || tree.freesPages(entry))) {
                best = entry;
            }
        }
        return best;
    }

    /** Takes an entry out of memory, into a file where there is a directory. */
    private void evict(PrefixEntry entry) {
        evictions++;
        if (entry.file == null) {
            try {
                spill.write(entry, closing);
            } catch (RuntimeException | OutOfMemoryError e) {
                failures++;
                log.warn("A prefix of {} tokens could not be written to a file and is dropped: {}", entry.position, String.valueOf(e));
            }
        }
        letGo(entry);
        if (entry.file == null) {
            tree.remove(entry);
        }
    }

    private void letGo(PrefixEntry entry) {
        HostMemoryBlock plane = tree.letGo(entry);
        if (plane != null) {
            freeSpare();
            spare = plane;
        }
    }

    private void freeSpare() {
        HostMemoryBlock before = takeSpare();
        if (before != null) {
            before.close();
        }
    }

    /** Drops what is out of date; whether it looked. */
    boolean expire() {
        long now = clock.getAsLong();
        if (now - nextExpiry < 0) {
            return false;
        }
        long ttl = options.ttl().toNanos();
        long next = now + ttl;
        for (PrefixEntry entry : List.copyOf(tree.entries())) {
            if (entry.pins > 0) {
                continue;
            }
            if (now - entry.lastUsed >= ttl) {
                evictions++;
                forget(entry);
            } else {
                next = Math.min(next, entry.lastUsed + ttl);
            }
        }
        nextExpiry = next;
        return true;
    }

    /** Drops an entry from memory and its file. */
    void forget(PrefixEntry entry) {
        if (entry.resident) {
            letGo(entry);
        }
        spill.delete(entry);
        tree.remove(entry);
    }

    /** Writes what is in memory to files, where there is a directory, and gives all pages back. */
    void close() {
        closing = true;
        for (PrefixEntry victim = leastRecentlyUsed(false); victim != null; victim = leastRecentlyUsed(false)) {
            evict(victim);
        }
        freeSpare();
    }
}
