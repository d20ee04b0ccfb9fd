package dev.ringside.model;

import dev.ringside.expert.ExpertArenaFactory;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.GpuBackend;

/** {@code qwen4exp}: Qwen3.8-Flash-Next. Parallel residual streams, DeltaNet, sparse attention, n-gram embedding. */
final class Qwen4Exp implements Architecture {

    @Override
    public String name() {
        return Qwen4ExpConfig.ARCHITECTURE;
    }

    @Override
    public LoadedModel load(GgufFile file, GpuBackend backend, ExpertArenaFactory arenas, ModelOptions options) {
        return Qwen4ExpLoader.load(file, backend, arenas, options);
    }
}
