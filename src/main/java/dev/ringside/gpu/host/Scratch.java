package dev.ringside.gpu.host;

import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * Working memory of one operation, outside the heap. It grows to the largest size asked for and then stays: an address is valid until a
 * larger size is asked for, and contents do not survive growing.
 */
final class Scratch implements AutoCloseable {

    private static final long ALIGNMENT = 64;

    private @Nullable Arena arena;
    private long address;
    private long capacity;

    /** Address of at least {@code count} floats, aligned to 64 bytes; contents undefined. */
    long floats(long count) {
        return bytes(Math.multiplyExact(count, 4L));
    }

    /** Address of at least {@code count} bytes, aligned to 64 bytes; contents undefined. */
    long bytes(long count) {
        if (count > capacity || arena == null) {
            grow(count);
        }
        return address;
    }

    private void grow(long bytes) {
        close();
        Arena grown = Arena.ofShared();
        address = grown.allocate(Math.max(bytes, ALIGNMENT), ALIGNMENT).address();
        capacity = bytes;
        arena = grown;
    }

    @Override
    public void close() {
        Arena held = arena;
        if (held != null) {
            arena = null;
            capacity = 0;
            address = 0;
            held.close();
        }
    }
}
