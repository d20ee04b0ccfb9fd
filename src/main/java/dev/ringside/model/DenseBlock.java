package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.FeedForward;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.RowNorm;
import org.jspecify.annotations.Nullable;

/** A SwiGLU feed-forward network without experts. */
final class DenseBlock implements ChannelMixer {

    private final Kernels kernels;
    private final FeedForward weights;

    DenseBlock(Kernels kernels, FeedForward weights) {
        this.kernels = kernels;
        this.weights = weights;
    }

    @Override
    public void forward(@Nullable RowNorm norm, DevicePtr hidden, int rows, DevicePtr out, @Nullable DevicePtr sum,
            @Nullable ForwardObserver observer) {
        if (norm != null) {
            norm.apply(kernels, rows, hidden);
        }
        kernels.feedForward(weights, hidden, rows, out);
        if (sum != null) {
            kernels.add(sum, out, (long) rows * weights.down().rows());
        }
    }
}
