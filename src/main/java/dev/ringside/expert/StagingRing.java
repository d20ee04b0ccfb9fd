package dev.ringside.expert;

import dev.ringside.gpu.Closing;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.PinnedBuffer;
import java.lang.foreign.MemorySegment;

/**
 * Page-locked memory in front of device memory: two halves used in turn, so that one is read from the file while the other is copied. A
 * half is written again only after the event behind its last copy is complete.
 */
final class StagingRing implements AutoCloseable {

    private final GpuBackend backend;
    private final PinnedBuffer buffer;
    private final MemorySegment[] slots;
    private final StreamFence[] fences = new StreamFence[2];
    private int half = 1;
    private boolean copied;
    private boolean closed;

    /**
     * @param count slots in all, even and at least 2
     * @param slotBytes bytes of one slot
     */
    StagingRing(GpuBackend backend, int count, long slotBytes) {
        requireEven(count);
        this.backend = backend;
        this.buffer = backend.allocatePinned(Math.multiplyExact(count, slotBytes), "expert staging ring of " + count + " slots");
        Posix.largePages(buffer.memory());
        try {
            fences[0] = new StreamFence(backend.createEvent());
            fences[1] = new StreamFence(backend.createEvent());
        } catch (DeviceException e) {
            Closing closing = new Closing();
            if (fences[0] != null) {
                closing.run(fences[0]::close);
            }
            closing.run(() -> backend.freePinned(buffer));
            closing.addTo(e);
            throw e;
        }
        this.slots = new MemorySegment[count];
        for (int i = 0; i < count; i++) {
            slots[i] = buffer.memory().asSlice(i * slotBytes, slotBytes);
        }
    }

    static void requireEven(int count) {
        if (count < 2 || count % 2 != 0) {
            throw new IllegalArgumentException(
                    "ringside.experts.staging-slots: found " + count + ", expected an even number of at least 2");
        }
    }

    /** Slots of one half. */
    int halfSlots() {
        return slots.length / 2;
    }

    /** Turns to the other half; blocks until the copies out of it are done. When it throws, the half in use stays the same. */
    void next() {
        fences[1 - half].await();
        half = 1 - half;
    }

    /** Memory of a slot of the half in use. */
    MemorySegment slot(int index) {
        return slots[half * halfSlots() + index];
    }

    /** Enqueues the copy of a part of a slot of the half in use. */
    void copy(int index, long offset, DevicePtr target, long targetOffset, long bytes, GpuStream stream) {
        // Set first: a call that fails may have enqueued something all the same.
        copied = true;
        backend.copyToDevice(slot(index), offset, target, targetOffset, bytes, stream);
    }

    /** Marks the end of the copies out of the half in use. */
    void seal(GpuStream stream) {
        if (copied) {
            copied = false;
            fences[half].mark(stream);
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        Closing closing = new Closing();
        for (StreamFence fence : fences) {
            closing.run(fence::await);
        }
        for (StreamFence fence : fences) {
            closing.run(fence::close);
        }
        closing.run(() -> backend.freePinned(buffer));
        closing.finish();
    }
}
