package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.HyperConnection;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;

/**
 * Mixes the residual streams into one and projects it.
 *
 * @param selected streams of rows with logits
 * @param mixed the one they are mixed into
 */
record Qwen4ExpHead(Kernels kernels, HyperConnection mixer, Matrix head, DevicePtr selected, DevicePtr mixed) implements TrunkModel.Head {

    @Override
    public void logits(DevicePtr states, int rows, DevicePtr logits) {
        kernels.gatherLogitRows(states, mixer.count() * mixer.width(), selected);
        kernels.hyperConnectionMix(mixer, selected, rows, mixed, null);
        kernels.matmul(head, mixed, rows, logits);
    }
}
