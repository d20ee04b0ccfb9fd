package dev.ringside.gpu.cuda;

import dev.ringside.gpu.Closing;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.DeviceInfo;
import dev.ringside.gpu.DeviceMemory;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.GpuEvent;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.cuda.DeviceLedger.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An NVIDIA GPU. Copies and kernels are asynchronous; a failure of one shows at a later call, and when it leaves the device unusable every
 * call from there on fails and {@link #fault()} says why.
 */
public final class CudaBackend implements GpuBackend {

    private final Cuda cuda;
    private final DeviceInfo device;
    private final DeviceLedger ledger;
    private final PinnedLedger pinned;
    private final KernelModules modules;
    private final WeightLoader weights;
    private final Codebooks codebooks;
    private final Set<CudaStream> streams = ConcurrentHashMap.newKeySet();
    private final Set<CudaEvent> events = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    CudaBackend(Driver driver) {
        DeviceFacts facts = driver.facts();
        this.cuda = new Cuda(driver);
        this.device = new DeviceInfo("cuda", facts.name(), facts.detail(), facts.integrated(), facts.totalBytes());
        this.ledger = new DeviceLedger(cuda, facts.totalBytes());
        this.pinned = new PinnedLedger(cuda);
        this.modules = new KernelModules(cuda);
        this.weights = new WeightLoader(cuda, pinned);
        this.codebooks = new Codebooks(this);
    }

    /** Why no CUDA device can be used here, in a few words, or null when one can. Touches nothing that needs a driver. */
    public static @Nullable String obstacle() {
        return GpuProbe.obstacle();
    }

    /**
     * A backend on the first CUDA device that is visible ({@code CUDA_VISIBLE_DEVICES} chooses another).
     *
     * @throws DeviceException when there is none or the driver refuses
     */
    public static CudaBackend create() {
        String obstacle = obstacle();
        if (obstacle != null) {
            throw new DeviceException("No CUDA device can be used: " + obstacle);
        }
        JcudaDriver driver = JcudaDriver.open(0);
        try {
            DeviceFacts facts = driver.facts();
            if (facts.major() < 8) {
                throw new DeviceException(facts.name() + " has compute capability " + facts.major() + "." + facts.minor()
                        + ", the kernels need 8.0 or newer");
            }
            return new CudaBackend(driver);
        } catch (RuntimeException e) {
            driver.close();
            throw e;
        }
    }

    /** The error that left the device unusable, or null while it works. */
    @Override
    public @Nullable String fault() {
        return cuda.fault();
    }

    Cuda cuda() {
        return cuda;
    }

    KernelModules modules() {
        return modules;
    }

    Codebooks codebooks() {
        return codebooks;
    }

    @Override
    public DeviceInfo device() {
        return device;
    }

    @Override
    public DevicePtr allocate(long bytes, String purpose) {
        requireOpen();
        DevicePtr memory = ledger.allocate(bytes, Kind.ALLOCATION, purpose);
        weights.zero(memory);
        return memory;
    }

    @Override
    public void free(DevicePtr memory) {
        ledger.free(memory, Kind.ALLOCATION);
    }

    @Override
    public DevicePtr allocateArena(long bytes) {
        requireOpen();
        return ledger.allocate(bytes, Kind.ARENA, "Expert arena");
    }

    @Override
    public void freeArena(DevicePtr arena) {
        ledger.free(arena, Kind.ARENA);
    }

    @Override
    public PinnedBuffer allocatePinned(long bytes, String purpose) {
        requireOpen();
        return pinned.allocate(bytes, purpose);
    }

    @Override
    public void freePinned(PinnedBuffer buffer) {
        pinned.free(buffer);
    }

    @Override
    public DevicePtr placeWeights(MemorySegment bytes, String tensor) {
        requireOpen();
        DevicePtr memory = ledger.allocate(bytes.byteSize(), Kind.WEIGHT, "Tensor '" + tensor + "'");
        weights.load(bytes, memory, tensor);
        return memory;
    }

    @Override
    public GpuStream createStream() {
        requireOpen();
        CudaStream stream = new CudaStream(this, cuda);
        streams.add(stream);
        return stream;
    }

    @Override
    public GpuEvent createEvent() {
        requireOpen();
        CudaEvent event = new CudaEvent(this, cuda);
        events.add(event);
        return event;
    }

    @Override
    public void copyToDevice(MemorySegment source, long sourceOffset, DevicePtr target, long targetOffset, long bytes, GpuStream stream) {
        Objects.checkFromIndexSize(sourceOffset, bytes, source.byteSize());
        Objects.checkFromIndexSize(targetOffset, bytes, target.bytes());
        CudaStream own = own(stream);
        if (source.isNative()) {
            cuda.copyToDevice(source.address() + sourceOffset, target.address() + targetOffset, bytes, own.handle());
            own.sources().keep(source);
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(Math.max(1, bytes));
            MemorySegment.copy(source, sourceOffset, copy, 0, bytes);
            cuda.copyToDevice(copy.address(), target.address() + targetOffset, bytes, own.handle());
            own.synchronize();
        }
    }

    @Override
    public void copyToHost(DevicePtr source, long sourceOffset, MemorySegment target, long targetOffset, long bytes, GpuStream stream) {
        Objects.checkFromIndexSize(sourceOffset, bytes, source.bytes());
        Objects.checkFromIndexSize(targetOffset, bytes, target.byteSize());
        CudaStream own = own(stream);
        if (target.isNative()) {
            cuda.copyToHost(source.address() + sourceOffset, target.address() + targetOffset, bytes, own.handle());
            own.sources().keep(target);
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(Math.max(1, bytes));
            cuda.copyToHost(source.address() + sourceOffset, copy.address(), bytes, own.handle());
            own.synchronize();
            MemorySegment.copy(copy, 0, target, targetOffset, bytes);
        }
    }

    @Override
    public void copy(DevicePtr source, long sourceOffset, DevicePtr target, long targetOffset, long bytes, GpuStream stream) {
        Objects.checkFromIndexSize(sourceOffset, bytes, source.bytes());
        Objects.checkFromIndexSize(targetOffset, bytes, target.bytes());
        cuda.copy(source.address() + sourceOffset, target.address() + targetOffset, bytes, own(stream).handle());
    }

    @Override
    public void zero(DevicePtr target, long offset, long bytes, GpuStream stream) {
        Objects.checkFromIndexSize(offset, bytes, target.bytes());
        cuda.zero(target.address() + offset, bytes, own(stream).handle());
    }

    @Override
    public Kernels kernels(GpuStream stream) {
        requireOpen();
        return own(stream).kernels();
    }

    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(ledger.bytes(Kind.ALLOCATION), ledger.bytes(Kind.ARENA), pinned.bytes(), ledger.bytes(Kind.WEIGHT));
    }

    CudaStream own(GpuStream stream) {
        if (stream instanceof CudaStream cudaStream && cudaStream.backend() == this) {
            return cudaStream;
        }
        throw new IllegalArgumentException("The stream was not made by this backend");
    }

    void forget(CudaStream stream) {
        streams.remove(stream);
    }

    void forget(CudaEvent event) {
        events.remove(event);
    }

    private void requireOpen() {
        if (closed) {
            throw new DeviceException("The CUDA backend is closed");
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        Closing closing = new Closing();
        streams.forEach(stream -> closing.run(stream::close));
        events.forEach(event -> closing.run(event::close));
        closing.run(weights::close);
        closing.run(modules::close);
        closing.run(pinned::freeAll);
        closing.run(ledger::freeAll);
        closing.run(cuda.driver()::close);
        closing.finish();
    }
}
