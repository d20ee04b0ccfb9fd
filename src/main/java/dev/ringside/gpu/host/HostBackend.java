package dev.ringside.gpu.host;

import com.sun.management.OperatingSystemMXBean;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.DeviceInfo;
import dev.ringside.gpu.DeviceMemory;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.GpuEvent;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.host.MemoryLedger.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The CPU as a device. "Device" memory is memory outside the heap, weights are read where they lie, copies are done when the call returns,
 * and kernels use vector instructions on a pool of threads.
 */
public final class HostBackend implements GpuBackend {

    private static final long ALIGNMENT = 256;
    private static final long PAGE = 4096;

    private final WorkerPool pool;
    private final MemoryLedger ledger;
    private final DeviceInfo device;
    private final AtomicLong weightBytes = new AtomicLong();
    private final Map<Long, Arena> pinned = new ConcurrentHashMap<>();
    private final Set<HostStream> streams = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private HostBackend(int threads) {
        long memory = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
        this.pool = new WorkerPool(threads);
        this.ledger = new MemoryLedger(memory);
        this.device = new DeviceInfo("cpu", CpuSupport.processorName(),
                threads + (threads == 1 ? " thread, " : " threads, ") + 32 * Vectors.LANES
                        + "-bit vectors",
                true, memory);
    }

    /**
     * A backend on the CPU.
     *
     * @param threads worker threads, the calling one included; 0 = one for each available processor
     * @throws DeviceException when the Vector API module is missing or the C2 compiler is off; the message names the flag
     */
    public static HostBackend create(int threads) {
        if (threads < 0 || threads > 4096) {
            throw new IllegalArgumentException("CPU threads must be 1 to 4096, or 0 for one for each processor, got " + threads);
        }
        CpuSupport.check();
        return new HostBackend(threads == 0 ? Runtime.getRuntime().availableProcessors() : threads);
    }

    @Override
    public DeviceInfo device() {
        return device;
    }

    @Override
    public DevicePtr allocate(long bytes, String purpose) {
        requireOpen();
        return ledger.allocate(bytes, ALIGNMENT, Kind.ALLOCATION, purpose);
    }

    @Override
    public void free(DevicePtr memory) {
        ledger.free(memory, Kind.ALLOCATION);
    }

    @Override
    public DevicePtr allocateArena(long bytes) {
        requireOpen();
        return ledger.allocate(bytes, PAGE, Kind.ARENA, "Expert arena");
    }

    @Override
    public void freeArena(DevicePtr arena) {
        ledger.free(arena, Kind.ARENA);
    }

    @Override
    public PinnedBuffer allocatePinned(long bytes, String purpose) {
        requireOpen();
        DevicePtr memory = ledger.allocate(bytes, PAGE, Kind.PINNED, purpose);
        Arena lifetime = Arena.ofShared();
        pinned.put(memory.address(), lifetime);
        return new PinnedBuffer(MemorySegment.ofAddress(memory.address()).reinterpret(bytes, lifetime, null), memory);
    }

    /** Frees the buffer; its segment is dead from here on. Fails while a read into it is going on. */
    @Override
    public void freePinned(PinnedBuffer buffer) {
        Arena lifetime = pinned.get(buffer.device().address());
        if (lifetime != null && buffer.memory().scope().equals(lifetime.scope())) {
            closeLifetime(lifetime, buffer.device());
            pinned.remove(buffer.device().address(), lifetime);
        }
        ledger.free(buffer.device(), Kind.PINNED);
    }

    private static void closeLifetime(Arena lifetime, DevicePtr memory) {
        try {
            lifetime.close();
        } catch (IllegalStateException e) {
            throw new DeviceException("Page-locked memory at " + memory.address() + " is freed twice or still in use by a read", e);
        }
    }

    @Override
    public DevicePtr placeWeights(MemorySegment bytes, String tensor) {
        requireOpen();
        if (!bytes.isNative()) {
            throw new IllegalArgumentException(
                    "Weights of " + tensor + " lie on the Java heap; the CPU backend reads them in place and needs"
                            + " native or mapped memory");
        }
        weightBytes.addAndGet(bytes.byteSize());
        return new DevicePtr(bytes.address(), bytes.byteSize());
    }

    @Override
    public GpuStream createStream() {
        requireOpen();
        HostStream stream = new HostStream(pool);
        streams.add(stream);
        return stream;
    }

    @Override
    public GpuEvent createEvent() {
        requireOpen();
        return new HostStream.Event();
    }

    @Override
    public void copyToDevice(MemorySegment source, long sourceOffset, DevicePtr target, long targetOffset, long bytes, GpuStream stream) {
        Objects.checkFromIndexSize(targetOffset, bytes, target.bytes());
        MemorySegment.copy(source, sourceOffset, HostMemory.ALL, target.address() + targetOffset, bytes);
    }

    @Override
    public void copyToHost(DevicePtr source, long sourceOffset, MemorySegment target, long targetOffset, long bytes, GpuStream stream) {
        Objects.checkFromIndexSize(sourceOffset, bytes, source.bytes());
        MemorySegment.copy(HostMemory.ALL, source.address() + sourceOffset, target, targetOffset, bytes);
    }

    @Override
    public void copy(DevicePtr source, long sourceOffset, DevicePtr target, long targetOffset, long bytes, GpuStream stream) {
        Objects.checkFromIndexSize(sourceOffset, bytes, source.bytes());
        Objects.checkFromIndexSize(targetOffset, bytes, target.bytes());
        HostMemory.copy(source.address() + sourceOffset, target.address() + targetOffset, bytes);
    }

    @Override
    public void zero(DevicePtr target, long offset, long bytes, GpuStream stream) {
        Objects.checkFromIndexSize(offset, bytes, target.bytes());
        HostMemory.ALL.asSlice(target.address() + offset, bytes).fill((byte) 0);
    }

    @Override
    public Kernels kernels(GpuStream stream) {
        requireOpen();
        if (!(stream instanceof HostStream host) || !streams.contains(host)) {
            throw new IllegalArgumentException("The stream was not made by this backend");
        }
        return host.kernels();
    }

    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(ledger.bytes(Kind.ALLOCATION), ledger.bytes(Kind.ARENA), ledger.bytes(Kind.PINNED), weightBytes.get());
    }

    private void requireOpen() {
        if (closed) {
            throw new DeviceException("The CPU backend is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        pool.close();
        for (HostStream stream : streams) {
            stream.close();
        }
        streams.clear();
        RuntimeException inUse = null;
        for (Map.Entry<Long, Arena> entry : pinned.entrySet()) {
            try {
                entry.getValue().close();
            } catch (IllegalStateException e) {
                // a read would go on writing to it: better lost than given to somebody else
                ledger.abandon(entry.getKey());
                inUse = e;
            }
        }
        pinned.clear();
        ledger.freeAll();
        weightBytes.set(0);
        if (inUse != null) {
            throw new DeviceException("Page-locked memory was still in use by a read when the CPU backend closed", inUse);
        }
    }
}
