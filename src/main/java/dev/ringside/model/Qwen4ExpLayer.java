package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.HyperConnection;
import dev.ringside.gpu.Kernels;
import org.jspecify.annotations.Nullable;

/**
 * One layer over parallel residual streams: an n-gram embedding where the layer has one, a token mixer and a mixture of experts, each
 * reading a mix of the streams and adding its output to each stream with that stream's own strength.
 */
final class Qwen4ExpLayer implements TrunkModel.Layer {

    /** Activations shared by all layers. */
    record Buffers(DevicePtr streams, DevicePtr hidden, DevicePtr inject, DevicePtr delta) {}

    private final Kernels kernels;
    private final @Nullable NGramBlock nGram;
    private final HyperConnection attentionMixer;
    private final TokenMixer tokenMixer;
    private final HyperConnection expertMixer;
    private final MoeBlock experts;
    private final Buffers buffers;

    Qwen4ExpLayer(Kernels kernels, @Nullable NGramBlock nGram, HyperConnection attentionMixer, TokenMixer tokenMixer,
            HyperConnection expertMixer, MoeBlock experts, Buffers buffers) {
        this.kernels = kernels;
        this.nGram = nGram;
        this.attentionMixer = attentionMixer;
        this.tokenMixer = tokenMixer;
        this.expertMixer = expertMixer;
        this.experts = experts;
        this.buffers = buffers;
    }

    @Override
    public void forward(int rows, @Nullable ForwardObserver observer) {
        if (nGram != null) {
            nGram.addTo(buffers.streams(), rows);
        }
        kernels.hyperConnectionMix(attentionMixer, buffers.streams(), rows, buffers.hidden(), buffers.inject());
        tokenMixer.forward(buffers.hidden(), rows, buffers.delta(), null, observer);
        add(attentionMixer, rows);
        kernels.hyperConnectionMix(expertMixer, buffers.streams(), rows, buffers.hidden(), buffers.inject());
        experts.forward(null, buffers.hidden(), rows, buffers.delta(), null, observer);
        add(expertMixer, rows);
    }

    @Override
    public void finish(int rows) {
        experts.finish(buffers.hidden(), rows, buffers.delta(), null);
        add(expertMixer, rows);
    }

    @Override
    public MoeBlock experts() {
        return experts;
    }

    private void add(HyperConnection mixer, int rows) {
        kernels.hyperConnectionAdd(buffers.streams(), buffers.delta(), buffers.inject(), rows, mixer.count(), mixer.width());
    }
}
