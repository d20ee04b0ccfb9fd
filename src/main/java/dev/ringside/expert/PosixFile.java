package dev.ringside.expert;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** A file descriptor of its own. Interrupts do not touch it, and a read allocates nothing. */
final class PosixFile implements PositionalFile {

    private static final int CLOSED = Integer.MIN_VALUE;

    private final Path path;
    private final int descriptor;
    private final ThreadLocal<MemorySegment> state = ThreadLocal.withInitial(Posix::newErrorState);
    /** Reads under way, plus {@link #CLOSED} once closed: the last one out closes, so that no read meets another file's descriptor. */
    private final AtomicInteger users = new AtomicInteger();

    PosixFile(Path path, boolean direct) throws IOException {
        this.path = path;
        this.descriptor = Posix.open(path, direct, state.get());
        if (!direct) {
            Posix.randomAccess(descriptor);
        }
    }

    @Override
    public long read(long fileOffset, MemorySegment target, long targetOffset, long length) throws IOException {
        enter();
        try {
            // A slice of the target would be garbage for each read. Whoever owns the memory keeps it until its readers are done.
            Objects.checkFromIndexSize(targetOffset, length, target.byteSize());
            return Posix.pread(descriptor, target.address() + targetOffset, length, fileOffset, state.get());
        } finally {
            Reference.reachabilityFence(target);
            leave();
        }
    }

    @Override
    public long size() throws IOException {
        return Posix.status(path, state.get()).size();
    }

    @Override
    public void dropBehind(long fileOffset, long length) throws IOException {
        enter();
        try {
            Posix.dropBehind(descriptor, fileOffset, length);
        } finally {
            leave();
        }
    }

    private void enter() throws IOException {
        int before;
        do {
            before = users.get();
            if (before < 0) {
                throw new ClosedChannelException();
            }
        } while (!users.compareAndSet(before, before + 1));
    }

    private void leave() throws IOException {
        if (users.decrementAndGet() == CLOSED) {
            Posix.close(descriptor, state.get());
        }
    }

    @Override
    public void close() throws IOException {
        int before;
        do {
            before = users.get();
            if (before < 0) {
                return;
            }
        } while (!users.compareAndSet(before, before + CLOSED + 1));
        leave();
    }
}
