package dev.ringside.gpu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A simulated GPU that does its work as late, or in as odd portions, as a real one may. Copies read their source only when the simulated
 * stream reaches them, events complete only then, and how far streams get is chosen at random by seed. Memory handed out undefined is
 * poisoned. Work on memory that was freed in the meantime is recorded as a violation.
 */
public final class DeferredBackend implements GpuBackend {

    /** How far streams get between calls. */
    public enum Pace {
        /** Nothing runs until somebody waits for it. */
        LAZY,
        /** A random number of operations of random streams. */
        RANDOM
    }

    private static final byte POISON = (byte) 0xCD;

    private record Allocation(Arena arena, MemorySegment memory, String kind) {}

    private final Random random;
    private final Pace pace;
    private final boolean unified;
    private final TreeMap<Long, Allocation> allocations = new TreeMap<>();
    private final List<Stream> streams = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private Predicate<String> fault = call -> false;
    private boolean eventsLie;

    public DeferredBackend(long seed, Pace pace, boolean unified) {
        this.random = new Random(seed);
        this.pace = pace;
        this.unified = unified;
    }

    /** Every call whose name the predicate accepts fails: {@code allocate}, {@code copyToDevice}, {@code record}, {@code await}, ... */
    public synchronized void failWhen(Predicate<String> predicate) {
        fault = predicate;
    }

    public void failNever() {
        failWhen(call -> false);
    }

    /** Plants a bug: every event claims to be complete at once. */
    public synchronized void letEventsLie() {
        eventsLie = true;
    }

    /** Enqueues work that stands for a kernel. */
    public synchronized void launch(GpuStream stream, Runnable kernel) {
        advance();
        ((Stream) stream).queue.add(kernel);
    }

    /** What went wrong while streams ran. */
    public synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    public synchronized void violation(String text) {
        violations.add(text);
    }

    /** Runs everything that is enqueued. */
    public synchronized void drain() {
        for (Stream stream : streams) {
            stream.runAll();
        }
    }

    /** The bytes at a device address, as a kernel sees them. */
    public synchronized MemorySegment bytes(long address, long length) {
        Map.Entry<Long, Allocation> entry = allocations.floorEntry(address);
        if (entry == null || address + length > entry.getKey() + entry.getValue().memory.byteSize()) {
            throw new IllegalStateException("No memory at " + address + ", " + length + " bytes");
        }
        return entry.getValue().memory.asSlice(address - entry.getKey(), length);
    }

    private void call(String name) {
        advance();
        if (fault.test(name)) {
            throw new DeviceException("injected: " + name);
        }
    }

    private void advance() {
        if (pace == Pace.RANDOM && !streams.isEmpty()) {
            for (int i = random.nextInt(4); i > 0; i--) {
                streams.get(random.nextInt(streams.size())).runOne();
            }
        }
    }

    @Override
    public DeviceInfo device() {
        return new DeviceInfo("simulated", "deferred", "", unified, 1L << 40);
    }

    // Closed when the allocation is freed.
    @SuppressWarnings("MustBeClosedChecker")
    private MemorySegment take(long bytes, long alignment, String kind, byte fill) {
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(bytes, alignment).fill(fill);
        allocations.put(memory.address(), new Allocation(arena, memory, kind));
        return memory;
    }

    private void release(long address, String kind) {
        Allocation allocation = allocations.remove(address);
        if (allocation == null || !allocation.kind.equals(kind)) {
            throw new IllegalStateException("Freed twice or as something else: " + kind + " at " + address);
        }
        allocation.arena.close();
    }

    @Override
    public synchronized DevicePtr allocate(long bytes, String purpose) {
        call("allocate");
        return new DevicePtr(take(bytes, 256, "memory", (byte) 0).address(), bytes);
    }

    @Override
    public synchronized void free(DevicePtr memory) {
        call("free");
        release(memory.address(), "memory");
    }

    @Override
    public synchronized DevicePtr allocateArena(long bytes) {
        call("allocateArena");
        return new DevicePtr(take(bytes, 4096, "arena", POISON).address(), bytes);
    }

    @Override
    public synchronized void freeArena(DevicePtr arena) {
        call("freeArena");
        release(arena.address(), "arena");
    }

    @Override
    public synchronized PinnedBuffer allocatePinned(long bytes, String purpose) {
        call("allocatePinned");
        MemorySegment memory = take(bytes, 4096, "pinned", (byte) 0);
        return new PinnedBuffer(memory, new DevicePtr(memory.address(), bytes));
    }

    @Override
    public synchronized void freePinned(PinnedBuffer buffer) {
        call("freePinned");
        release(buffer.device().address(), "pinned");
    }

    @Override
    public DevicePtr placeWeights(MemorySegment bytes, String tensor) {
        return new DevicePtr(bytes.address(), bytes.byteSize());
    }

    @Override
    public synchronized GpuStream createStream() {
        call("createStream");
        Stream stream = new Stream();
        streams.add(stream);
        return stream;
    }

    @Override
    public synchronized GpuEvent createEvent() {
        call("createEvent");
        return new Event();
    }

    @Override
    public synchronized void copyToDevice(MemorySegment source, long sourceOffset, DevicePtr target, long targetOffset, long bytes,
            GpuStream stream) {
        long address = target.slice(targetOffset, bytes).address();
        MemorySegment from = source.asSlice(sourceOffset, bytes);
        Runnable copy = () -> bytes(address, bytes).copyFrom(from);
        try {
            call("copyToDevice");
        } catch (DeviceException e) {
            // A call that reports a failure may have enqueued its work nevertheless.
            if (random.nextBoolean()) {
                ((Stream) stream).queue.add(copy);
            }
            throw e;
        }
        ((Stream) stream).queue.add(copy);
    }

    @Override
    public synchronized void copyToHost(DevicePtr source, long sourceOffset, MemorySegment target, long targetOffset, long bytes,
            GpuStream stream) {
        call("copyToHost");
        long address = source.slice(sourceOffset, bytes).address();
        ((Stream) stream).queue.add(() -> target.asSlice(targetOffset, bytes).copyFrom(bytes(address, bytes)));
    }

    @Override
    public synchronized void copy(DevicePtr source, long sourceOffset, DevicePtr target, long targetOffset, long bytes, GpuStream stream) {
        call("copy");
        long from = source.slice(sourceOffset, bytes).address();
        long to = target.slice(targetOffset, bytes).address();
        ((Stream) stream).queue.add(() -> bytes(to, bytes).copyFrom(bytes(from, bytes)));
    }

    @Override
    public synchronized void zero(DevicePtr target, long offset, long bytes, GpuStream stream) {
        call("zero");
        long address = target.slice(offset, bytes).address();
        ((Stream) stream).queue.add(() -> bytes(address, bytes).fill((byte) 0));
    }

    @Override
    public Kernels kernels(GpuStream stream) {
        throw new UnsupportedOperationException("The simulated device has no kernels");
    }

    @Override
    public synchronized DeviceMemory memory() {
        return new DeviceMemory(held("memory"), held("arena"), held("pinned"), 0);
    }

    private long held(String kind) {
        return allocations.values().stream().filter(each -> each.kind.equals(kind)).mapToLong(each -> each.memory.byteSize()).sum();
    }

    @Override
    public synchronized void close() {
        drain();
        allocations.values().forEach(each -> each.arena.close());
        allocations.clear();
    }

    private final class Stream implements GpuStream {

        private final ArrayDeque<Runnable> queue = new ArrayDeque<>();
        private long done;

        private void runOne() {
            Runnable work = queue.poll();
            if (work == null) {
                return;
            }
            done++;
            try {
                work.run();
            } catch (RuntimeException e) {
                violations.add(e.toString());
            }
        }

        private void runAll() {
            while (!queue.isEmpty()) {
                runOne();
            }
        }

        @Override
        public void synchronize() {
            synchronized (DeferredBackend.this) {
                call("synchronize");
                runAll();
            }
        }

        @Override
        public void close() {
            synchronize();
        }
    }

    private final class Event implements GpuEvent {

        private Stream stream;
        private long mark;

        @Override
        public void record(GpuStream on) {
            synchronized (DeferredBackend.this) {
                call("record");
                stream = (Stream) on;
                mark = stream.done + stream.queue.size();
            }
        }

        @Override
        public boolean isComplete() {
            synchronized (DeferredBackend.this) {
                call("isComplete");
                return eventsLie || stream == null || stream.done >= mark;
            }
        }

        @Override
        public void await() {
            synchronized (DeferredBackend.this) {
                call("await");
                while (!eventsLie && stream != null && stream.done < mark) {
                    stream.runOne();
                }
            }
        }

        @Override
        public void close() {
            synchronized (DeferredBackend.this) {
                call("closeEvent");
            }
        }
    }
}
