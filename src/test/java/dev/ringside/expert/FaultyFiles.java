package dev.ringside.expert;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** Real files with faults in between: every read asks {@link Fault} first. */
final class FaultyFiles implements PositionalFile.Opener {

    /** What becomes of one read. */
    interface Fault {

        /**
         * May throw.
         *
         * @return most bytes to read, which makes the read short
         */
        long read(Path file, boolean direct, long offset, long length) throws IOException;
    }

    final AtomicInteger reads = new AtomicInteger();
    private final PositionalFile.Opener real = PositionalFile.Opener.platform();
    private volatile Fault fault = (file, direct, offset, length) -> length;

    void failWith(Fault how) {
        fault = how;
    }

    void failNever() {
        failWith((file, direct, offset, length) -> length);
    }

    @Override
    public PositionalFile open(Path path, boolean direct) throws IOException {
        PositionalFile file = real.open(path, direct);
        return new PositionalFile() {

            @Override
            public long read(long fileOffset, MemorySegment target, long targetOffset, long length) throws IOException {
                reads.incrementAndGet();
                return file.read(fileOffset, target, targetOffset, fault.read(path, direct, fileOffset, length));
            }

            @Override
            public long size() throws IOException {
                return file.size();
            }

            @Override
            public void dropBehind(long fileOffset, long length) throws IOException {
                file.dropBehind(fileOffset, length);
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }
}
