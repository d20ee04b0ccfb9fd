package dev.ringside.model;

import dev.ringside.expert.ExpertArenaFactory;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.GpuBackend;

/** A family of models that share a forward pass, as {@code general.architecture} names it. */
interface Architecture {

    String name();

    LoadedModel load(GgufFile file, GpuBackend backend, ExpertArenaFactory arenas, ModelOptions options);
}
