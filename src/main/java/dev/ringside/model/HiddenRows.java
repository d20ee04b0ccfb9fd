package dev.ringside.model;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.PinnedBuffer;
import java.lang.foreign.ValueLayout;

/** Gathers hidden states of chosen rows of a step. */
final class HiddenRows {

    private final Kernels kernels;
    private final PinnedBuffer rowNumbers;
    private final DevicePtr gathered;

    /** @param width floats of a row */
    HiddenRows(Device device, int width) {
        this.kernels = device.kernels();
        this.rowNumbers = device.pinned(8L * device.maxRows(), "rows of hidden states");
        this.gathered = device.rows(width, "hidden states of drafts");
    }

    /** A view of a step's hidden states as a table. */
    static Matrix table(DevicePtr states, int rows, int width) {
        return new Matrix(states, GgmlType.F32, rows, width);
    }

    /** {@code [count][columns of the table]} */
    DevicePtr gather(Matrix table, int[] rows, int count) {
        for (int i = 0; i < count; i++) {
            rowNumbers.memory().setAtIndex(ValueLayout.JAVA_LONG, i, rows[i]);
        }
        kernels.gatherRows(table, rowNumbers, count, gathered);
        return gathered;
    }
}
