package dev.ringside.sequence;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory of checkpoint files that outlives the process. Files are written under a temporary name, flushed to the disk and then renamed,
 * by a thread of its own; so whenever the process dies, a file is there as a whole or not at all. Files that are damaged or belong to
 * something else are left alone, logged and counted. One process at a time, by a lock.
 */
public final class SpillDirectory implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SpillDirectory.class);
    private static final String SUFFIX = ".checkpoint";
    private static final String TEMPORARY = ".checkpoint.tmp";
    private static final String LOCK = "ringside.lock";
    private static final int CHUNK = 1 << 30;
    /** Checkpoints on their way to the disk; further ones are dropped rather than waited for. */
    private static final int PENDING = 4;

    /** A file of an earlier run. */
    record Found(int[] tokens, SpillFile file) {}

    private final Path directory;
    private final long maxBytes;
    private final FileChannel lock;
    private final ExecutorService writer;
    private final Semaphore pending = new Semaphore(PENDING);
    private final AtomicLong refused = new AtomicLong();

    private SpillDirectory(Path directory, long maxBytes, FileChannel lock) {
        this.directory = directory;
        this.maxBytes = maxBytes;
        this.lock = lock;
        this.writer = Executors.newSingleThreadExecutor(Thread.ofPlatform().name("ringside-spill").daemon().factory());
    }

    /**
     * Opens a directory, made when it does not exist, and clears away what an earlier process left half written.
     *
     * @param maxBytes most bytes of all files
     * @throws CheckpointException when it can't be used, or another process uses it
     */
    public static SpillDirectory open(Path directory, long maxBytes) {
        FileChannel channel = null;
        try {
            Files.createDirectories(directory);
            channel = FileChannel.open(directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            @Nullable FileLock taken = channel.tryLock();
            if (taken == null) {
                throw new CheckpointException(
                        "Another process uses the directory " + directory + " (ringside.checkpoints.spill-directory)");
            }
            try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(directory, "*" + TEMPORARY)) {
                for (Path leftover : leftovers) {
                    Files.deleteIfExists(leftover);
                }
            }
            return new SpillDirectory(directory, maxBytes, channel);
        } catch (IOException | OverlappingFileLockException e) {
            close(channel);
            throw new CheckpointException("The directory " + directory + " (ringside.checkpoints.spill-directory) can't be used: " + e, e);
        } catch (CheckpointException e) {
            close(channel);
            throw e;
        }
    }

    private static void close(@Nullable FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                log.debug("A lock file did not close", e);
            }
        }
    }

    long maxBytes() {
        return maxBytes;
    }

    /** Files ignored so far. */
    long refused() {
        return refused.get();
    }

    /** All files that hold state of this layout, oldest first. */
    List<Found> scan(StateLayout layout, CheckpointIdentity identity) {
        List<Path> paths = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            files.forEach(paths::add);
        } catch (IOException e) {
            log.warn("The files in {} can't be listed: {}", directory, e.toString());
        }
        paths.sort((a, b) -> Long.compare(a.toFile().lastModified(), b.toFile().lastModified()));
        List<Found> found = new ArrayList<>();
        for (Path path : paths) {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                CheckpointHeader header = header(channel, layout, identity);
                found.add(new Found(header.tokens(), new SpillFile(path, channel.size(), CompletableFuture.completedFuture(true))));
            } catch (IOException | RuntimeException e) {
                refuse(path, e);
            }
        }
        return found;
    }

    private void refuse(Path path, Exception reason) {
        refused.incrementAndGet();
        log.warn("The checkpoint file {} is ignored: {}", path,
                reason instanceof CheckpointException ? reason.getMessage() : reason.toString());
    }

    /** Reads and checks what is in front of the payload, and that the file has all of it; leaves the channel at the payload. */
    private static CheckpointHeader header(FileChannel channel, StateLayout layout, CheckpointIdentity identity) throws IOException {
        byte[] preamble = new byte[SpillFormat.PREAMBLE_BYTES];
        readFully(channel, ByteBuffer.wrap(preamble));
        int length = SpillFormat.headerBytes(preamble);
        if (length > channel.size()) {
            throw new CheckpointException("It is truncated: " + channel.size() + " bytes, the header alone has " + length);
        }
        byte[] head = new byte[length];
        channel.position(0);
        readFully(channel, ByteBuffer.wrap(head));
        CheckpointHeader header = SpillFormat.decode(head);
        header.requireFits(layout, identity);
        if (channel.size() != length + header.payloadBytes()) {
            throw new CheckpointException("It has " + channel.size() + " bytes, expected " + (length + header.payloadBytes()));
        }
        return header;
    }

    private static void readFully(FileChannel channel, ByteBuffer target) throws IOException {
        while (target.hasRemaining()) {
            if (channel.read(target) < 0) {
                throw new CheckpointException("It is truncated: it ends at " + channel.size() + " bytes");
            }
        }
    }

    /** Bytes the file of such a checkpoint takes. */
    long fileBytes(StateLayout layout, CheckpointIdentity identity, int[] tokens) {
        int[] checksums = new int[layout.regions().size()];
        return SpillFormat.encode(CheckpointHeader.of(layout, identity, tokens, 0, SequenceState.NO_TOKEN, new long[0], checksums)).length
                + layout.payloadBytesAt(tokens.length);
    }

    /**
     * Sets a place aside for a checkpoint to write. It ends with {@link #write}, or with {@link #abandon}.
     *
     * @param patient whether to wait for one
     * @return whether there is one
     */
    boolean reserve(boolean patient) {
        if (patient) {
            pending.acquireUninterruptibly();
            return true;
        }
        return pending.tryAcquire();
    }

    /** Gives a place back. */
    void abandon() {
        pending.release();
    }

    /** Takes a checkpoint over, writes it behind the caller's back and closes it. */
    SpillFile write(Checkpoint checkpoint, long hash) {
        byte[] head = SpillFormat.encode(checkpoint.header());
        CheckpointIdentity identity = checkpoint.header().identity();
        long of = Hashing.add(Hashing.add(identity.modelFingerprint(), checkpoint.header().layoutHash()), identity.kvType().name());
        Path path = directory.resolve(String.format("%016x-%016x%s", of, hash, SUFFIX));
        CompletableFuture<Boolean> written = new CompletableFuture<>();
        SpillFile file = new SpillFile(path, head.length + checkpoint.bytes(), written);
        writer.execute(() -> {
            try (checkpoint) {
                write(path, head, checkpoint.payload());
                written.complete(true);
            } catch (IOException | RuntimeException e) {
                log.warn("The checkpoint file {} could not be written: {}", path, e.toString());
                written.complete(false);
            } finally {
                pending.release();
            }
        });
        return file;
    }

    private void write(Path path, byte[] head, MemorySegment payload) throws IOException {
        Path temporary = directory.resolve(path.getFileName().toString().replace(SUFFIX, TEMPORARY));
        try {
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE)) {
                writeFully(channel, ByteBuffer.wrap(head));
                for (long at = 0; at < payload.byteSize(); at += CHUNK) {
                    writeFully(channel, payload.asSlice(at, Math.min(CHUNK, payload.byteSize() - at)).asByteBuffer());
                }
                channel.force(true);
            }
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            Files.deleteIfExists(temporary);
            throw e;
        }
        // The rename too has to reach the disk.
        try (FileChannel parent = FileChannel.open(directory, StandardOpenOption.READ)) {
            parent.force(true);
        } catch (IOException e) {
            log.debug("The directory {} can't be flushed", directory, e);
        }
    }

    private static void writeFully(FileChannel channel, ByteBuffer source) throws IOException {
        while (source.hasRemaining()) {
            channel.write(source);
        }
    }

    /** The checkpoint in a file, its checksums not yet compared; null when the file is no good. Waits while it is being written. */
    @Nullable
    Checkpoint read(SpillFile file, StateLayout layout, CheckpointIdentity identity) {
        if (!file.written().join()) {
            return null;
        }
        HostMemoryBlock memory = null;
        try (FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.READ)) {
            CheckpointHeader header = header(channel, layout, identity);
            memory = new HostMemoryBlock(header.payloadBytes());
            for (long at = 0; at < header.payloadBytes(); at += CHUNK) {
                readFully(channel, memory.segment().asSlice(at, Math.min(CHUNK, header.payloadBytes() - at)).asByteBuffer());
            }
            Checkpoint checkpoint = Checkpoint.of(memory, header);
            checkpoint.requireIntact(layout, identity);
            return checkpoint;
        } catch (IOException | RuntimeException e) {
            refuse(file.path(), e);
            if (memory != null) {
                memory.close();
            }
            return null;
        }
    }

    /** Deletes a file once it has been written. */
    void delete(SpillFile file) {
        var _ = file.written().thenAccept(written -> {
            try {
                Files.deleteIfExists(file.path());
            } catch (IOException e) {
                log.warn("The checkpoint file {} could not be deleted: {}", file.path(), e.toString());
            }
        });
    }

    /** Waits until everything is written. Idempotent. */
    @Override
    public void close() {
        writer.close();
        close(lock);
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
