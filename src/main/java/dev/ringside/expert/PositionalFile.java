package dev.ringside.expert;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** A file open for reads at any place from any thread. */
interface PositionalFile extends AutoCloseable {

    /**
     * Reads up to {@code length} bytes.
     *
     * @return bytes read, at least 1, or 0 at the end of the file
     */
    long read(long fileOffset, MemorySegment target, long targetOffset, long length) throws IOException;

    /** Bytes of the file now. */
    long size() throws IOException;

    /** These bytes were read and need not stay in the page cache. */
    default void dropBehind(long fileOffset, long length) throws IOException {
        // Nothing to tell where there is no such call.
    }

    @Override
    void close() throws IOException;

    /** Opens files; tests put faults in between. */
    interface Opener {

        /**
         * Opens a file.
         *
         * @param direct past the page cache, with aligned reads only
         */
        PositionalFile open(Path path, boolean direct) throws IOException;

        /** Opens with the calls that suit the platform. */
        static Opener platform() {
            return Posix.available() ? PosixFile::new : ChannelFile::new;
        }
    }
}
