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
    private static final int POINTERS = 9;

    private final CudaBackend backend;
    private final UploadRing uploads;
    private @Nullable DevicePtr memory;
    private StepRows rows = new StepRows(0);

    StepTables(CudaBackend backend, UploadRing uploads) {
        this.backend = backend;
        this.uploads = uploads;
    }

    /** Copies the tables of a step to the device. */
    void upload(StepRows step) {
        rows = step;
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
        uploads.send(m, base);
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
