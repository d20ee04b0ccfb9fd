package dev.ringside.gpu.host;

import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.DeviceOutOfMemoryException;
import dev.ringside.gpu.DevicePtr;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/** What the CPU backend holds, by address: every range is freed once, as what it was allocated. Thread safe. */
final class MemoryLedger {

    enum Kind {
        ALLOCATION, ARENA, PINNED
    }

    private record Block(long base, long bytes, Kind kind) {}

    private final ConcurrentHashMap<Long, Block> blocks = new ConcurrentHashMap<>();
    private final AtomicLongArray held = new AtomicLongArray(Kind.values().length);
    private final long limit;

    /** @param limit bytes of memory of the machine or container; more is refused, however lazily the system would give it */
    MemoryLedger(long limit) {
        this.limit = limit;
    }

    DevicePtr allocate(long bytes, long alignment, Kind kind, String purpose) {
        if (bytes < 0) {
            throw new IllegalArgumentException("Cannot allocate " + bytes + " bytes for " + purpose);
        }
        long after = held.addAndGet(kind.ordinal(), bytes);
        long base = after < 0 || total() > limit || total() < 0 ? 0 : NativeHeap.allocate(bytes + alignment, kind != Kind.ARENA);
        if (base == 0) {
            held.addAndGet(kind.ordinal(), -bytes);
            throw new DeviceOutOfMemoryException(purpose + " needs " + bytes + " bytes of memory; " + Math.max(0, limit - total())
                    + " of " + limit + " bytes are not held by the backend", bytes);
        }
        long address = (base + alignment - 1) & -alignment;
        blocks.put(address, new Block(base, bytes, kind));
        return new DevicePtr(address, bytes);
    }

    /** Gives a range back; fails when it is not held, or held as something else. */
    void free(DevicePtr memory, Kind kind) {
        Block block = blocks.get(memory.address());
        if (block == null) {
            throw new DeviceException(
                    "Memory at " + memory.address() + " is not held by this backend: freed twice, or allocated elsewhere");
        }
        if (block.kind() != kind || block.bytes() != memory.bytes()) {
            throw new DeviceException("Memory at " + memory.address() + " is " + block.bytes() + " bytes of kind " + block.kind()
                    + ", cannot be freed as " + memory.bytes() + " bytes of kind " + kind);
        }
        if (!blocks.remove(memory.address(), block)) {
            throw new DeviceException("Memory at " + memory.address() + " was freed by two threads at once");
        }
        release(block);
    }

    private void release(Block block) {
        NativeHeap.free(block.base());
        held.addAndGet(block.kind().ordinal(), -block.bytes());
    }

    /** Forgets a range without giving it back. */
    void abandon(long address) {
        Block block = blocks.remove(address);
        if (block != null) {
            held.addAndGet(block.kind().ordinal(), -block.bytes());
        }
    }

    long bytes(Kind kind) {
        return held.get(kind.ordinal());
    }

    private long total() {
        long sum = 0;
        for (int i = 0; i < held.length(); i++) {
            sum += held.get(i);
        }
        return sum;
    }

    void freeAll() {
        for (Long address : blocks.keySet()) {
            Block block = blocks.remove(address);
            if (block != null) {
                release(block);
            }
        }
    }
}
