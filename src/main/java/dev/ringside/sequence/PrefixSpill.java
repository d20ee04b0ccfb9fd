package dev.ringside.sequence;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files of a {@link PrefixStore}: which prefixes they hold, and how many bytes they may take. */
final class PrefixSpill {

    private static final Logger log = LoggerFactory.getLogger(PrefixStore.class);

    private final StatePool pool;
    private final CheckpointIdentity identity;
    private final PrefixTree tree;
    private final @Nullable SpillDirectory directory;
    private int files;
    private long bytes;

    PrefixSpill(StatePool pool, CheckpointIdentity identity, PrefixTree tree, @Nullable SpillDirectory directory) {
        this.pool = pool;
        this.identity = identity;
        this.tree = tree;
        this.directory = directory;
    }

    /** Takes up the prefixes of earlier runs. */
    void load(long now) {
        if (directory == null) {
            return;
        }
        for (SpillDirectory.Found found : directory.scan(pool.layout(), identity)) {
            attach(tree.add(found.tokens(), found.tokens().length, now), found.file());
        }
        makeRoom(0);
        if (files > 0) {
            log.info("Found {} prefixes of {} bytes in {}", files, bytes, directory);
        }
    }

    /**
     * Begins to write an entry that is in memory, unless its file would be of little use: a longer prefix with the same beginning has one, and
     * nobody ever started at this.
     *
     * @param patient whether to wait when the disk is behind; otherwise the entry gets no file
     */
    void write(PrefixEntry entry, boolean patient) {
        SpillDirectory to = directory;
        if (to == null || entry.hits == 0 && tree.hasFileBelow(entry)) {
            return;
        }
        int[] tokens = tree.tokens(entry);
        long needed = to.fileBytes(pool.layout(), identity, tokens);
        if (needed > to.maxBytes() || !to.reserve(patient)) {
            return;
        }
        makeRoom(needed);
        HostMemoryBlock plane = entry.plane;
        Checkpoint image;
        try {
            image = Checkpoint.save(pool, identity, tree.pagesOf(entry), tokens,
                    new Checkpoint.Drafted(entry.draftLength, entry.following), 0, plane == null ? null : plane.segment(), null,
                    new long[0]);
        } catch (RuntimeException | Error e) {
            to.abandon();
            throw e;
        }
        attach(entry, to.write(image, entry.hash));
    }

    private void attach(PrefixEntry entry, SpillFile file) {
        entry.file = file;
        files++;
        bytes += file.bytes();
    }

    private void makeRoom(long needed) {
        if (directory == null) {
            return;
        }
        while (bytes + needed > directory.maxBytes()) {
            PrefixEntry oldest = null;
            for (PrefixEntry entry : tree.entries()) {
                if (entry.file != null && entry.pins == 0 && (oldest == null || entry.lastUsed < oldest.lastUsed)) {
                    oldest = entry;
                }
            }
            if (oldest == null) {
                return;
            }
            delete(oldest);
            if (!oldest.resident) {
                tree.remove(oldest);
            }
        }
    }

    /**
     * Reads an entry's file into a sequence.
     *
     * @return false when the file is no good, and is the entry's no more; the sequence is as it was
     */
    boolean restore(PrefixEntry entry, SequenceState state) {
        SpillFile file = entry.file;
        SpillDirectory from = directory;
        if (file == null || from == null) {
            return false;
        }
        Checkpoint image = from.read(file, pool.layout(), identity);
        if (image == null) {
            delete(entry);
            return false;
        }
        try (image) {
            image.restore(state, identity, tree.residentPages(entry));
            return true;
        }
    }

    void delete(PrefixEntry entry) {
        SpillFile file = entry.file;
        if (file != null && directory != null) {
            entry.file = null;
            files--;
            bytes -= file.bytes();
            directory.delete(file);
        }
    }

    int files() {
        return files;
    }

    long bytes() {
        return bytes;
    }

    long refused() {
        return directory == null ? 0 : directory.refused();
    }

    void close() {
        if (directory != null) {
            directory.close();
        }
    }
}
