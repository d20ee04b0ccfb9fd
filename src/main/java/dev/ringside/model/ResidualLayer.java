package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.RowNorm;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A pre-norm layer over one residual stream: {@code x += mix(norm(x))}, then {@code x += feedForward(norm(x))}. */
final class ResidualLayer implements TrunkModel.Layer {

    /** Activations shared by all layers. */
    record Buffers(DevicePtr residual, DevicePtr hidden, DevicePtr delta) {}

    private final Kernels kernels;
    private final DevicePtr tokenNorm;
    private final TokenMixer tokenMixer;
    private final RowNorm channelNorm;
    private final ChannelMixer channelMixer;
    private final int width;
    private final float epsilon;
    private final Buffers buffers;

    ResidualLayer(Kernels kernels, DevicePtr tokenNorm, TokenMixer tokenMixer, DevicePtr channelNorm, ChannelMixer channelMixer, int width,
            float epsilon, Buffers buffers) {
        this.kernels = kernels;
        this.tokenNorm = tokenNorm;
        this.tokenMixer = tokenMixer;
        this.channelNorm = new RowNorm(buffers.residual(), channelNorm, width, epsilon);
        this.channelMixer = channelMixer;
        this.width = width;
        this.epsilon = epsilon;
        this.buffers = buffers;
    }

    @Override
    public void forward(int rows, @Nullable ForwardObserver observer) {
        kernels.rmsNorm(buffers.residual(), tokenNorm, rows, 1, width, epsilon, buffers.hidden());
        tokenMixer.forward(buffers.hidden(), rows, buffers.delta(), buffers.residual(), observer);
        channelMixer.forward(channelNorm, buffers.hidden(), rows, buffers.delta(), buffers.residual(), observer);
    }

    @Override
    public void finish(int rows) {
        Objects.requireNonNull(experts()).finish(buffers.hidden(), rows, buffers.delta(), buffers.residual());
    }

    @Override
    public @Nullable MoeBlock experts() {
        return channelMixer instanceof MoeBlock experts ? experts : null;
    }
}
