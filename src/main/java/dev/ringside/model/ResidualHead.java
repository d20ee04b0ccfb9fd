package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;

/**
 * Norm and projection of one residual stream.
 *
 * @param width floats of a row
 * @param selected residual of rows with logits
 */
record ResidualHead(Kernels kernels, DevicePtr norm, Matrix head, float epsilon, int width, DevicePtr selected) implements TrunkModel.Head {

    @Override
    public void logits(DevicePtr states, int rows, DevicePtr logits) {
        kernels.gatherLogitRows(states, width, selected);
        kernels.rmsNorm(selected, norm, rows, 1, width, epsilon, selected);
        kernels.matmul(head, selected, rows, logits);
    }
}
