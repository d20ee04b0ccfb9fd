package dev.ringside.expert;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** How the bytes of one file get into memory. Safe from any thread. */
sealed interface ReadStrategy {

    /**
     * Reads exactly {@code length} bytes.
     *
     * @param room whether the bytes around the target may be overwritten: a window rounded outward to the alignment, where the target lies
     *        at the same place within it as the bytes do in the file
     * @throws EOFException when the file ends before that, with the lengths
     */
    void read(long fileOffset, MemorySegment target, long targetOffset, long length, boolean room) throws IOException;

    /** Through the page cache. */
    record Buffered(PositionalFile file, boolean keepPageCache) implements ReadStrategy {

        @Override
        public void read(long fileOffset, MemorySegment target, long targetOffset, long length, boolean room) throws IOException {
            long done = 0;
            while (done < length) {
                long count = file.read(fileOffset + done, target, targetOffset + done, length - done);
                if (count <= 0) {
                    throw endOfFile(file, done, length);
                }
                done += count;
            }
            if (!keepPageCache) {
                file.dropBehind(fileOffset, length);
            }
        }
    }

    /**
     * Past the page cache. Straight into the target where it has room and lies right, else through a buffer of the calling thread.
     *
     * <p>Windows are rounded to {@value #MAX_ALIGNMENT} bytes also where the file takes less, the usual size of a sector behind it.
     * Whether that is faster was not told apart from the noise of the machine.
     *
     * @param alignment that the file needs of offsets, lengths and addresses, a power of two up to {@value #MAX_ALIGNMENT}
     */
    record Direct(PositionalFile file, int alignment, ThreadLocal<MemorySegment> bounce) implements ReadStrategy {

        /** Alignment that staging memory provides. */
        static final int MAX_ALIGNMENT = 4096;

        private static final long BOUNCE_MEMORY = 2L << 20;
        private static final long BOUNCE_BYTES = BOUNCE_MEMORY - 2 * MAX_ALIGNMENT;

        /** Buffers for reads whose target does not lie right. */
        static ThreadLocal<MemorySegment> bounceBuffers() {
            return ThreadLocal.withInitial(() -> {
                MemorySegment memory = Arena.ofAuto().allocate(BOUNCE_MEMORY, BOUNCE_MEMORY);
                Posix.intoLargePages(memory);
                return memory;
            });
        }

        @Override
        public void read(long fileOffset, MemorySegment target, long targetOffset, long length, boolean room) throws IOException {
            if (room && (target.address() + targetOffset - fileOffset & MAX_ALIGNMENT - 1) == 0) {
                readWindow(fileOffset, target, targetOffset, length);
                return;
            }
            MemorySegment buffer = bounce.get();
            for (long done = 0; done < length;) {
                long part = Math.min(BOUNCE_BYTES, length - done);
                long inside = fileOffset + done & MAX_ALIGNMENT - 1;
                readWindow(fileOffset + done, buffer, inside, part);
                MemorySegment.copy(buffer, inside, target, targetOffset + done, part);
                done += part;
            }
        }

        /** Reads the window around the bytes; what is owed is only the bytes themselves, the file may end right behind them. */
        private void readWindow(long fileOffset, MemorySegment target, long targetOffset, long length) throws IOException {
            long before = fileOffset & MAX_ALIGNMENT - 1;
            long start = fileOffset - before;
            long base = targetOffset - before;
            long window = before + length + MAX_ALIGNMENT - 1 & -MAX_ALIGNMENT;
            long owed = before + length;
            long done = 0;
            while (done < owed) {
                long count = file.read(start + done, target, base + done, window - done);
                if (done + count >= owed) {
                    return;
                }
                // A retry must be aligned again, so the odd end of a short read is read once more.
                long whole = count & -alignment;
                if (whole <= 0) {
                    throw endOfFile(file, Math.max(0, done + count - before), length);
                }
                done += whole;
            }
        }
    }

    private static EOFException endOfFile(PositionalFile file, long done, long length) throws IOException {
        return new EOFException("the file ends after " + done + " of " + length + " bytes (it has " + file.size()
                + " bytes); it was cut short: download it again");
    }
}
