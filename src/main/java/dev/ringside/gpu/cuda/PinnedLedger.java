package dev.ringside.gpu.cuda;

import dev.ringside.gpu.Closing;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.DeviceOutOfMemoryException;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.PinnedBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Page-locked host memory: taken from the system and registered with the driver, since the driver's own allocation ends at 2 GiB in the
 * binding. Thread safe.
 */
final class PinnedLedger {

    private static final long PAGE = 4096;

    private record Block(PinnedBuffer buffer, Arena lifetime) {}

    private final Cuda cuda;
    private final ConcurrentHashMap<Long, Block> blocks = new ConcurrentHashMap<>();
    private final AtomicLong held = new AtomicLong();

    PinnedLedger(Cuda cuda) {
        this.cuda = cuda;
    }

    PinnedBuffer allocate(long bytes, String purpose) {
        if (bytes < 0) {
            throw new IllegalArgumentException("Cannot allocate " + bytes + " bytes for " + purpose);
        }
        Arena lifetime = Arena.ofShared();
        try {
            long whole = Math.max(PAGE, (bytes + PAGE - 1) & -PAGE);
            MemorySegment memory = lifetime.allocate(whole, PAGE);
            long device = cuda.register(memory.address(), whole);
            if (device == 0) {
                throw outOfMemory(bytes, purpose);
            }
            PinnedBuffer buffer = new PinnedBuffer(memory.asSlice(0, bytes), new DevicePtr(device, bytes));
            blocks.put(memory.address(), new Block(buffer, lifetime));
            held.addAndGet(bytes);
            return buffer;
        } catch (OutOfMemoryError e) {
            lifetime.close();
            DeviceOutOfMemoryException failure = outOfMemory(bytes, purpose);
            failure.addSuppressed(e);
            throw failure;
        } catch (RuntimeException e) {
            lifetime.close();
            throw e;
        }
    }

    private static DeviceOutOfMemoryException outOfMemory(long bytes, String purpose) {
        return new DeviceOutOfMemoryException(purpose + " needs " + bytes
                + " bytes of page-locked host memory, which the system does not give."
                + " Lower ringside.experts.staging-slots or ringside.experts.arena-bytes, or raise the limit of locked memory (ulimit -l) or of the"
                + " container", bytes);
    }

    /** Frees the buffer; its segment is dead from here on. Fails while a read into it is going on. */
    void free(PinnedBuffer buffer) {
        long address = buffer.memory().address();
        Block block = blocks.get(address);
        if (block == null || block.buffer().memory().byteSize() != buffer.memory().byteSize()) {
            throw new DeviceException(
                    "Page-locked memory at " + address + " is not held by this backend: freed twice, or allocated elsewhere");
        }
        release(address, block);
    }

    private void release(long address, Block block) {
        try {
            MemorySegment memory = block.buffer().memory();
            if (!blocks.remove(address, block)) {
                throw new DeviceException("Page-locked memory at " + address + " was freed by two threads at once");
            }
            held.addAndGet(-memory.byteSize());
            cuda.unregister(address);
        } finally {
            close(address, block.lifetime());
        }
    }

    private static void close(long address, Arena lifetime) {
        try {
            lifetime.close();
        } catch (IllegalStateException e) {
            throw new DeviceException("Page-locked memory at " + address + " is freed twice or still in use by a read", e);
        }
    }

    long bytes() {
        return held.get();
    }

    /** Frees everything, even if one free fails. */
    void freeAll() {
        Closing closing = new Closing();
        blocks.forEach((address, block) -> closing.run(() -> release(address, block)));
        closing.finish();
    }
}
