package dev.ringside.gpu.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Builds the parameters of one launch after another in native memory that is made once: values one behind the other, laid out as the C
 * compiler does, and the array of their addresses that the driver reads. The driver copies them before {@link #run} returns.
 */
final class Launch implements AutoCloseable {

    private static final int PARAMETERS = 32;
    private static final int BYTES = 1024;

    private final Cuda cuda;
    private final Driver.Stream stream;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment values = arena.allocate(BYTES, 16);
    private final MemorySegment addresses = arena.allocate(8L * PARAMETERS, 16);
    private Kernel kernel;
    private int count;
    private long at;
    private boolean inStruct;
    private long stop;

    Launch(Cuda cuda, Driver.Stream stream) {
        this.cuda = cuda;
        this.stream = stream;
        this.kernel = new Kernel("", new Driver.Function() {}, false, false);
    }

    /** @param mark address of the mark that stops the kernels launched from here on, 0 when none is to */
    void stoppedBy(long mark) {
        stop = mark;
    }

    Launch of(Kernel next) {
        kernel = next;
        count = 0;
        at = 0;
        inStruct = false;
        return next.stops() ? i64(stop) : this;
    }

    /** What follows, up to {@link #end}, are fields of one parameter. */
    Launch struct() {
        begin(8);
        inStruct = true;
        return this;
    }

    Launch end() {
        inStruct = false;
        return this;
    }

    private void begin(int size) {
        if (!inStruct) {
            at = at + 7 & -8;
            addresses.setAtIndex(ValueLayout.JAVA_LONG, count++, values.address() + at);
        } else {
            at = at + size - 1 & -size;
        }
    }

    Launch i64(long value) {
        begin(8);
        values.set(ValueLayout.JAVA_LONG, at, value);
        at += 8;
        return this;
    }

    Launch i32(int value) {
        begin(4);
        values.set(ValueLayout.JAVA_INT, at, value);
        at += 4;
        return this;
    }

    Launch f32(float value) {
        begin(4);
        values.set(ValueLayout.JAVA_FLOAT, at, value);
        at += 4;
        return this;
    }

    Launch flag(boolean value) {
        return i32(value ? 1 : 0);
    }

    void run(int gridX, int gridY, int gridZ, int threads, int sharedBytes) {
        cuda.launch(kernel, gridX, gridY, gridZ, threads, sharedBytes, stream, addresses.address());
    }

    /** Blocks in x and y, no shared memory. */
    void run(int gridX, int gridY, int threads) {
        run(gridX, gridY, 1, threads, 0);
    }

    @Override
    public void close() {
        arena.close();
    }
}
