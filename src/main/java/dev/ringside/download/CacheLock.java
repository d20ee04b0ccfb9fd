package dev.ringside.download;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One downloader per file, among all processes that share the cache. The operating system ends the lock of a process that dies. */
final class CacheLock implements AutoCloseable {

    private static final long POLL_MILLIS = 200;

    private final FileChannel channel;

    private CacheLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Waits for the lock.
     *
     * @param file the lock's own file, which stays: deleting it would let two hold different files of one name
     * @param waiting called again and again while another process has it
     */
    static CacheLock acquire(Path file, Runnable waiting) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            while (tryLock(channel) == null) {
                waiting.run();
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
            return new CacheLock(channel);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            channel.close();
            throw new IOException("interrupted while another process downloads", e);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException _) {
            // Another thread of this process has it.
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
