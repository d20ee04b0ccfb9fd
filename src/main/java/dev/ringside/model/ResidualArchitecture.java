package dev.ringside.model;

import dev.ringside.expert.ExpertArenaFactory;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.GpuBackend;

/**
 * An architecture of pre-norm layers over one residual stream, which only its hyper-parameters tell from its relatives.
 *
 * @param reader reads them from metadata with the architecture's prefix
 */
record ResidualArchitecture(String name, Reader reader) implements Architecture {

    /** Reads hyper-parameters. */
    @FunctionalInterface
    interface Reader {

        ResidualConfig read(MetadataReader keys, String architecture);
    }

    @Override
    public LoadedModel load(GgufFile file, GpuBackend backend, ExpertArenaFactory arenas, ModelOptions options) {
        ResidualConfig config = reader.read(new MetadataReader(file.path(), file.metadata(), name), name);
        return ResidualLoader.load(file, config, backend, arenas, options);
    }
}
