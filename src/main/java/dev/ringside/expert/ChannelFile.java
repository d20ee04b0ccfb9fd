package dev.ringside.expert;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file behind a {@link FileChannel}, for platforms without the calls of {@link Posix}.
 *
 * <p>A channel closes itself for everybody when one of its readers is interrupted. Such a channel is opened again and the read goes on, so
 * that cancelling one thread never makes experts unreadable for the others; the interrupt is kept for the caller.
 */
final class ChannelFile implements PositionalFile {

    /** A channel takes a ByteBuffer, which cannot be larger than an int. */
    private static final long MAX_READ = 1L << 30;

    private final Path path;
    private volatile FileChannel channel;
    private volatile boolean closed;

    ChannelFile(Path path, boolean direct) throws IOException {
        if (direct) {
            throw new UnsupportedOperationException("direct reads are for Linux on 64-bit x86 and ARM");
        }
        this.path = path;
        this.channel = open();
    }

    @Override
    public long read(long fileOffset, MemorySegment target, long targetOffset, long length) throws IOException {
        boolean interrupted = false;
        try {
            ByteBuffer view = target.asSlice(targetOffset, Math.min(length, MAX_READ)).asByteBuffer();
            while (true) {
                FileChannel current = channel;
                try {
                    return Math.max(0, current.read(view, fileOffset));
                } catch (ClosedChannelException e) {
                    interrupted |= Thread.interrupted();
                    reopen(current, e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public long size() throws IOException {
        return path.toFile().length();
    }

    private synchronized void reopen(FileChannel broken, ClosedChannelException cause) throws IOException {
        if (closed) {
            throw cause;
        }
        if (channel.equals(broken)) {
            channel = open();
        }
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(path, StandardOpenOption.READ);
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        channel.close();
    }
}
