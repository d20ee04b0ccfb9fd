package dev.ringside.gpu.cuda;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.StepRows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a step on the device: one block of memory whose head, {@code struct Step} in {@code common.cuh}, holds the addresses of the
 * tables behind it. The block stays where it is from step to step, so that a recorded sequence of kernels finds every step in it.
 */
final class StepTables implements AutoCloseable {

    private static final int HEAD = 128;
    /** Where in the head the mark lies that stops a step: 0 whenever tables have been uploaded. */
    private static final int MARK = 120;
    /** Least context that a recording is made for. */
    private static final int LEAST_BOUND = 1024;
    private static final int POINTERS = 9;

    private final CudaBackend backend;
    private final UploadRing uploads;
    private @Nullable DevicePtr memory;
    private StepRows rows = new StepRows(0);
    private final MovedMemory moved;
    private boolean bounded;
    private int bound;

    StepTables(CudaBackend backend, UploadRing uploads, MovedMemory moved) {
        this.moved = moved;
        this.backend = backend;
        this.uploads = uploads;
    }

    /**
     * Copies the tables of a step to the device.
     *
     * @param rounded whether what depends on positions is sized for a power of two of them, so that later steps find it large enough
     */
    void upload(StepRows step, boolean rounded) {
        rows = step;
        bounded = rounded;
        bound = rounded ? Math.max(LEAST_BOUND, powerOfTwo(mostPositions(step.rows()))) : 0;
        int count = step.rows();
        int segments = step.segments();
        long pages = 0;
        for (int s = 0; s < segments; s++) {
            pages += step.pages(s).length;
        }
        long planeOut = HEAD;
        long planeIn = planeOut + 8L * count;
        long page = planeIn + 8L * segments;
        long positions = page + 8 * pages;
        long tokens = positions + 4L * count;
        long segmentOf = tokens + 4L * count;
        long logitRows = segmentOf + 4L * count;
        long firstRow = logitRows + 4L * step.logitRows();
        long firstPage = firstRow + 4L * (segments + 1);
        long bytes = firstPage + 4L * (segments + 1);

        long base = reserve(bytes);
        MemorySegment m = uploads.reserve(bytes);
        long[] tables = {positions, tokens, segmentOf, firstRow, firstPage, logitRows, planeOut, planeIn, page};
        for (int i = 0; i < POINTERS; i++) {
            m.setAtIndex(ValueLayout.JAVA_LONG, i, base + tables[i]);
        }
        for (int r = 0; r < count; r++) {
            m.set(ValueLayout.JAVA_LONG, planeOut + 8L * r, aligned(step.planeOut(r), "Recurrent planes"));
            m.set(ValueLayout.JAVA_INT, positions + 4L * r, step.position(r));
            m.set(ValueLayout.JAVA_INT, tokens + 4L * r, step.token(r));
            m.set(ValueLayout.JAVA_INT, segmentOf + 4L * r, step.segmentOf(r));
        }
        for (int i = 0; i < step.logitRows(); i++) {
            m.set(ValueLayout.JAVA_INT, logitRows + 4L * i, step.logitRow(i));
        }
        int at = 0;
        for (int s = 0; s < segments; s++) {
            m.set(ValueLayout.JAVA_LONG, planeIn + 8L * s, aligned(step.planeIn(s), "Recurrent planes"));
            m.set(ValueLayout.JAVA_INT, firstRow + 4L * s, step.firstRow(s));
            m.set(ValueLayout.JAVA_INT, firstPage + 4L * s, at);
            for (long address : step.pages(s)) {
                m.set(ValueLayout.JAVA_LONG, page + 8L * at++, aligned(address, "Pages"));
            }
        }
        m.set(ValueLayout.JAVA_INT, firstRow + 4L * segments, count);
        m.set(ValueLayout.JAVA_INT, firstPage + 4L * segments, at);
        m.set(ValueLayout.JAVA_INT, MARK, 0);
        uploads.send(m, base);
    }

    private static int powerOfTwo(int least) {
        return least <= 1 ? 1 : Integer.highestOneBit(least - 1) << 1;
    }

    private int mostPositions(int count) {
        int most = 0;
        for (int row = 0; row < count; row++) {
            most = Math.max(most, rows.position(row) + 1);
        }
        return most;
    }

    /** At least the positions that the step's first rows see, themselves included. */
    int positions(int count) {
        return bounded ? bound : mostPositions(count);
    }

    /** Whether the step is one of few rows whose operations may be recorded. */
    boolean rounded() {
        return bounded;
    }

    /** Address of the mark that stops the step. */
    long mark() {
        return address() + MARK;
    }

    private static long aligned(long address, String what) {
        if ((address & 15) != 0) {
            throw new IllegalArgumentException(what + " must be aligned to 16 bytes, found address " + address);
        }
        return address;
    }

    private long reserve(long bytes) {
        DevicePtr held = memory;
        if (held == null || held.bytes() < bytes) {
            close();
            held = backend.allocate(Math.max(65_536, Long.highestOneBit(bytes) << 1), "step tables");
            memory = held;
            moved.moved();
        }
        return held.address();
    }

    /** The step whose tables are on the device, as the host sees it. */
    StepRows rows() {
        return rows;
    }

    /** Address of the head. */
    long address() {
        DevicePtr held = memory;
        if (held == null) {
            throw new IllegalStateException("beginStep must come before the operations of a step");
        }
        return held.address();
    }

    @Override
    public void close() {
        DevicePtr held = memory;
        if (held != null) {
            memory = null;
            backend.free(held);
        }
    }
}
