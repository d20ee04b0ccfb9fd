package dev.ringside.gpu.cuda;

import dev.ringside.gpu.Closing;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.DeviceOutOfMemoryException;
import dev.ringside.gpu.DevicePtr;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/** The device memory the backend holds, by address: every range is freed once, as what it was allocated. Thread safe. */
final class DeviceLedger {

    enum Kind {
        ALLOCATION("ringside.state.memory-bytes, ringside.scheduler.max-active or ringside.model.context-length"),
        ARENA("ringside.experts.arena-bytes"),
        WEIGHT("ringside.experts.arena-bytes, or take a smaller or more strongly quantised model");

        private final String remedy;

        Kind(String remedy) {
            this.remedy = remedy;
        }
    }

    /** @param base where the driver's own range begins */
    private record Block(long base, long bytes, Kind kind) {}

    private final Cuda cuda;
    private final long totalBytes;
    private final ConcurrentHashMap<Long, Block> blocks = new ConcurrentHashMap<>();
    private final AtomicLongArray held = new AtomicLongArray(Kind.values().length);

    DeviceLedger(Cuda cuda, long totalBytes) {
        this.cuda = cuda;
        this.totalBytes = totalBytes;
    }

    DevicePtr allocate(long bytes, Kind kind, String purpose) {
        if (bytes < 0) {
            throw new IllegalArgumentException("Cannot allocate " + bytes + " bytes for " + purpose);
        }
        // The driver aligns to 512 bytes, an arena wants a page.
        long address = cuda.allocate(Math.max(1, kind == Kind.ARENA ? bytes + 4096 : bytes));
        if (address == 0) {
            long free = cuda.freeBytes();
            throw new DeviceOutOfMemoryException(purpose + " needs " + bytes + " bytes of device memory; "
                    + (free < 0 ? "how much is free the driver does not say, the device has " : free + " are free of ") + totalBytes
                    + ". Lower "
                    + kind.remedy, bytes);
        }
        long aligned = kind == Kind.ARENA ? (address + 4095) & -4096 : address;
        blocks.put(aligned, new Block(address, bytes, kind));
        held.addAndGet(kind.ordinal(), bytes);
        return new DevicePtr(aligned, bytes);
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
        held.addAndGet(block.kind().ordinal(), -block.bytes());
        cuda.free(block.base());
    }

    long bytes(Kind kind) {
        return held.get(kind.ordinal());
    }

    /** Frees everything, even if one free fails. */
    void freeAll() {
        Closing closing = new Closing();
        for (Long address : blocks.keySet()) {
            Block block = blocks.remove(address);
            if (block != null) {
                closing.run(() -> release(block));
            }
        }
        closing.finish();
    }
}
