package dev.ringside.expert;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One file of a model, open for positional reads from any thread: directly where that is wanted and works, through the page cache
 * otherwise. Transient faults are tried again; a file that fails repeatedly is left alone for a while.
 */
final class ShardFile implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ShardFile.class);
    private static final int[] TRIED_ALIGNMENTS = {512, 4096};

    private final Path path;
    private final ReadStrategy.Buffered buffered;
    private final ReadStrategy.@Nullable Direct direct;
    private final ShardBreaker breaker;
    private volatile ReadStrategy strategy;
    private volatile int fallbacks;
    private final LongAdder reads = new LongAdder();
    private final LongAdder readNanos = new LongAdder();
    private final LongAdder directBytes = new LongAdder();
    private final LongAdder bufferedBytes = new LongAdder();

    ShardFile(Path path, boolean wantDirect, ReadOptions options, PositionalFile.Opener opener) throws IOException {
        this.path = path;
        this.breaker = new ShardBreaker(path.toString(), options);
        this.buffered = new ReadStrategy.Buffered(opener.open(path, false), options.keepPageCache());
        this.direct = wantDirect ? openDirect(path, opener) : null;
        this.strategy = direct == null ? buffered : direct;
    }

    private static ReadStrategy.@Nullable Direct openDirect(Path path, PositionalFile.Opener opener) {
        PositionalFile file;
        try {
            file = opener.open(path, true);
        } catch (IOException | UnsupportedOperationException e) {
            LOG.warn("{} cannot be read directly and is read through the page cache: {}", path, e.getMessage());
            return null;
        }
        int alignment = alignment(path, file);
        if (alignment > 0 && alignment <= ReadStrategy.Direct.MAX_ALIGNMENT) {
            return new ReadStrategy.Direct(file, alignment, ReadStrategy.Direct.bounceBuffers());
        }
        LOG.warn("{} cannot be read directly and is read through the page cache: its file system gives no alignment up to {} bytes", path,
                ReadStrategy.Direct.MAX_ALIGNMENT);
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("{} did not close", path, e);
        }
        return null;
    }

    /** Alignment that direct reads need; 0 when none works. */
    private static int alignment(Path path, PositionalFile file) {
        try {
            if (Posix.available()) {
                // Linux 6.1 and later tell.
                int told = Posix.status(path, Posix.newErrorState()).directAlignment();
                if (told >= 0) {
                    return told == 0 ? 0 : Math.max(TRIED_ALIGNMENTS[0], Integer.highestOneBit(2 * told - 1));
                }
            }
        } catch (IOException e) {
            LOG.debug("{} does not tell its alignment", path, e);
        }
        try (Arena arena = Arena.ofConfined()) {
            for (int alignment : TRIED_ALIGNMENTS) {
                // An address that is a multiple of this alignment and of no greater one.
                MemorySegment memory = arena.allocate(2L * alignment + alignment, 2L * alignment);
                try {
                    file.read(alignment, memory, alignment, alignment);
                    return alignment;
                } catch (IOException e) {
                    LOG.debug("{} takes no direct reads aligned to {}", path, alignment, e);
                }
            }
        }
        return 0;
    }

    Path path() {
        return path;
    }

    /**
     * Reads exactly {@code length} bytes.
     *
     * @param room whether bytes around the target may be overwritten, see {@link ReadStrategy}
     * @throws java.io.EOFException when the file ends before that, with the lengths
     */
    void read(long fileOffset, MemorySegment target, long targetOffset, long length, boolean room) throws IOException {
        ShardBreaker.Admission admission = breaker.admit();
        long begun = System.nanoTime();
        try {
            attempt(fileOffset, target, targetOffset, length, room);
            breaker.succeeded(admission);
            succeeded(begun);
        } catch (IOException e) {
            breaker.recover(e, admission, () -> attempt(fileOffset, target, targetOffset, length, room));
            succeeded(begun);
        } catch (RuntimeException | Error e) {
            breaker.abandoned(admission);
            throw e;
        } finally {
            breaker.leave(admission);
        }
    }

    private void attempt(long fileOffset, MemorySegment target, long targetOffset, long length, boolean room) throws IOException {
        ReadStrategy current = strategy;
        try {
            current.read(fileOffset, target, targetOffset, length, room);
            (current instanceof ReadStrategy.Direct ? directBytes : bufferedBytes).add(length);
        } catch (UnalignedReadException e) {
            if (!(current instanceof ReadStrategy.Direct)) {
                throw e;
            }
            fallBack(e);
            buffered.read(fileOffset, target, targetOffset, length, room);
            bufferedBytes.add(length);
        }
    }

    private void succeeded(long begun) {
        reads.increment();
        readNanos.add(System.nanoTime() - begun);
    }

    private synchronized void fallBack(IOException cause) {
        if (!strategy.equals(buffered)) {
            strategy = buffered;
            fallbacks++;
            LOG.warn("{} refused a direct read and is read through the page cache from now on: {}", path, cause.getMessage());
        }
    }

    boolean direct() {
        return direct != null;
    }

    ShardSnapshot snapshot() {
        boolean isDirect = strategy instanceof ReadStrategy.Direct;
        return new ShardSnapshot(path.toString(), isDirect ? "direct" : "buffered", isDirect && direct != null ? direct.alignment() : 0,
                breaker.state(), breaker.retries(), breaker.failures(), breaker.rejected(), fallbacks, reads.sum(),
                directBytes.sum(), bufferedBytes.sum(), readNanos.sum());
    }

    @Override
    public void close() throws IOException {
        try (PositionalFile first = buffered.file(); PositionalFile second = direct == null ? null : direct.file()) {
            // Both are closed, also when one fails.
        }
    }
}
