package dev.ringside.model;

import dev.ringside.gpu.DeltaNetShape;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;
import org.jspecify.annotations.Nullable;

/** Gated DeltaNet: linear attention with a fixed-size state. */
final class DeltaNetBlock implements TokenMixer {

    /** Weights of one layer. */
    record Weights(Matrix qkv, Matrix gate, Matrix alpha, Matrix beta, Matrix output, DeltaNetShape shape) {}

    /** Activations, shared by the DeltaNet layers of a model. */
    record Buffers(DevicePtr qkv, DevicePtr gate, DevicePtr alpha, DevicePtr beta, DevicePtr mixed) {}

    private final Kernels kernels;
    private final Weights weights;
    private final Buffers buffers;
    private final Matrix[] inputs;
    private final DevicePtr[] projected;

    DeltaNetBlock(Kernels kernels, Weights weights, Buffers buffers) {
        this.kernels = kernels;
        this.weights = weights;
        this.buffers = buffers;
        this.inputs = new Matrix[] {weights.qkv(), weights.gate(), weights.alpha(), weights.beta()};
        this.projected = new DevicePtr[] {buffers.qkv(), buffers.gate(), buffers.alpha(), buffers.beta()};
    }

    @Override
    public void forward(DevicePtr hidden, int rows, DevicePtr out, @Nullable DevicePtr sum, @Nullable ForwardObserver observer) {
        kernels.matmul(inputs, hidden, rows, projected);
        kernels.deltaNet(weights.shape(), buffers.qkv(), buffers.gate(), buffers.alpha(), buffers.beta(), buffers.mixed());
        if (sum == null) {
            kernels.matmul(weights.output(), buffers.mixed(), rows, out);
        } else {
            kernels.addMatmul(weights.output(), buffers.mixed(), rows, out, sum);
        }
    }
}
