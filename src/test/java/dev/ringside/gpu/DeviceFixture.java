package dev.ringside.gpu;

import dev.ringside.gguf.BlockDecoder;
import dev.ringside.gguf.GgmlType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A backend with a stream, its kernels, and shorthands for tests: random input, upload, download, decoding. Others whose kernels work on the
 * same memory may take part, such as CPU backends with other numbers of threads: {@link #turn} gives the next of them its turn.
 */
public final class DeviceFixture implements AutoCloseable {

    /** A matrix on the device and its values as plain floats. */
    public record Weights(Matrix matrix, float[] values) {}

    public final GpuBackend backend;
    public final GpuStream stream;
    public Kernels kernels;
    public final long seed = Long.getLong("ringside.test.seed", System.nanoTime());
    public final Random random = new Random(seed);
    private final Arena arena = Arena.ofShared();
    private final List<DevicePtr> allocations = new ArrayList<>();
    private final List<GpuBackend> others;
    private final List<Kernels> turns = new ArrayList<>();
    private int turn;

    public DeviceFixture(GpuBackend backend, GpuBackend... others) {
        this.backend = backend;
        this.others = List.of(others);
        this.stream = backend.createStream();
        this.kernels = backend.kernels(stream);
        turns.add(kernels);
        for (GpuBackend other : others) {
            turns.add(other.kernels(other.createStream()));
        }
    }

    /** From here on {@link #kernels} are those of the next backend. */
    public void turn() {
        turn = (turn + 1) % turns.size();
        kernels = turns.get(turn);
    }

    /** Begins a step of rows of a prompt, without pages or planes. */
    public void beginPrompt(int rows) {
        StepRows step = new StepRows(rows);
        step.beginPrompts();
        step.beginSegment(new long[0], 0);
        for (int i = 0; i < rows; i++) {
            step.addRow(0, i, 0, false);
        }
        kernels.beginStep(step);
    }

    /** Room for floats, poisoned with NaN so that reading what was never written shows. */
    public DevicePtr floats(long count) {
        float[] poison = new float[Math.toIntExact(count)];
        Arrays.fill(poison, Float.NaN);
        return upload(poison);
    }

    public DevicePtr upload(byte[] bytes) {
        DevicePtr memory = backend.allocate(bytes.length, "test");
        allocations.add(memory);
        MemorySegment source = arena.allocate(Math.max(1, bytes.length), 8);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, source, 0, bytes.length);
        backend.copyToDevice(source, 0, memory, 0, bytes.length, stream);
        return memory;
    }

    public DevicePtr upload(float[] values) {
        return upload(MemorySegment.ofArray(values).toArray(ValueLayout.JAVA_BYTE));
    }

    public float[] download(DevicePtr memory, int count) {
        MemorySegment target = arena.allocate(Math.max(4, 4L * count), 8);
        backend.copyToHost(memory, 0, target, 0, 4L * count, stream);
        stream.synchronize();
        return target.asSlice(0, 4L * count).toArray(ValueLayout.JAVA_FLOAT);
    }

    public float[] gaussian(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    public Weights weights(GgmlType type, int rows, int columns) {
        return place(RandomWeights.rows(type, rows, columns, random), type, rows, columns);
    }

    public Weights place(byte[] bytes, GgmlType type, int rows, int columns) {
        return new Weights(new Matrix(upload(bytes), type, rows, columns), decode(bytes, type, rows * columns));
    }

    public static float[] decode(byte[] bytes, GgmlType type, int elements) {
        float[] values = new float[elements];
        MemorySegment native8 = Arena.ofAuto().allocate(bytes.length, 8);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, native8, 0, bytes.length);
        BlockDecoder.of(type).decode(native8, 0, values, 0, elements);
        return values;
    }

    public PinnedBuffer pinned(long bytes) {
        return backend.allocatePinned(bytes, "test");
    }

    @Override
    public void close() {
        for (DevicePtr memory : allocations) {
            backend.free(memory);
        }
        others.forEach(GpuBackend::close);
        backend.close();
        arena.close();
    }
}
