package dev.ringside.model;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;
import java.lang.foreign.ValueLayout;

/**
 * Hidden states of the trunk for its draft block: keeps the last one of each sequence in its plane, as part of the recurrent state, and
 * gathers those of chosen rows.
 */
final class HiddenRows {

    private final Device device;
    private final Kernels kernels;
    private final PinnedBuffer rowNumbers;
    private final DevicePtr gathered;
    private final long rowBytes;
    private final PlaneViews kept;

    /**
     * @param width floats of a row
     * @param planeOffset byte offset of the kept hidden state in a plane
     */
    HiddenRows(Device device, int width, long planeOffset) {
        this.device = device;
        this.kernels = device.kernels();
        this.rowNumbers = device.pinned(8L * device.maxRows(), "rows of hidden states");
        this.gathered = device.rows(width, "hidden states of drafts");
        this.rowBytes = 4L * width;
        this.kept = new PlaneViews(planeOffset, rowBytes);
    }

    /** A view of a step's hidden states as a table. */
    static Matrix table(DevicePtr states, int rows, int width) {
        return new Matrix(states, GgmlType.F32, rows, width);
    }

    /** Enqueues copies of the hidden states of a step to the planes that its rows leave their state in. */
    void keep(StepRows step, DevicePtr states) {
        for (int row = 0; row < step.rows(); row++) {
            long plane = step.planeOut(row);
            if (plane != 0) {
                device.backend().copy(states, row * rowBytes, kept.of(plane), 0, rowBytes, device.stream());
            }
        }
    }

    /**
     * Gathers the states that the rows of a draft step are computed from.
     *
     * @param rows for each row the row of the table, or {@link DraftHead#CARRIED}
     * @return {@code [rows of the step][columns of the table]}
     */
    DevicePtr gather(Matrix table, int[] rows, StepRows step) {
        int count = step.rows();
        for (int i = 0; i < count; i++) {
            rowNumbers.memory().setAtIndex(ValueLayout.JAVA_LONG, i, Math.max(0, rows[i]));
        }
        kernels.gatherRows(table, rowNumbers, count, gathered);
        for (int i = 0; i < count; i++) {
            if (rows[i] == DraftHead.CARRIED) {
                long plane = step.planeIn(step.segmentOf(i));
                device.backend().copy(kept.of(plane), 0, gathered, i * rowBytes, rowBytes, device.stream());
            }
        }
        return gathered;
    }
}
