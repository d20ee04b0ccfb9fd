package dev.ringside.sequence;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Off-heap memory that is freed by hand. */
final class HostMemoryBlock implements AutoCloseable {

    private static final long ALIGNMENT = 64;

    private final Arena arena;
    private final MemorySegment segment;

    // Closed with the block.
    @SuppressWarnings("MustBeClosedChecker")
    HostMemoryBlock(long bytes) {
        this.arena = Arena.ofShared();
        try {
            this.segment = arena.allocate(Math.max(bytes, 1), ALIGNMENT);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /** A given block when it is large enough; otherwise that one is freed and a new one taken. */
    static HostMemoryBlock holding(long bytes, @Nullable HostMemoryBlock reuse) {
        if (reuse != null && reuse.arena.scope().isAlive()) {
            if (reuse.segment.byteSize() >= bytes) {
                return reuse;
            }
            reuse.close();
        }
        return new HostMemoryBlock(bytes);
    }

    MemorySegment segment() {
        return segment;
    }

    /** Idempotent. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
