package dev.ringside.config;

import dev.ringside.expert.ExpertArenaFactory;
import dev.ringside.gpu.GpuBackend;

/** A runtime and the device under it, as the application's beans would hold them. */
record OpenedRuntime(GpuBackend backend, EngineRuntime runtime) implements AutoCloseable {

    /** @param pairs property names without {@code ringside.} and their values, in turn */
    static OpenedRuntime open(String... pairs) {
        RingsideProperties settings = Settings.of(pairs);
        GpuBackend backend = Backends.open(settings);
        try {
            return new OpenedRuntime(backend, EngineRuntime.open(settings, backend, ExpertArenaFactory.configured()));
        } catch (RuntimeException e) {
            backend.close();
            throw e;
        }
    }

    @Override
    public void close() {
        try (backend; runtime) {
            // Closed in reverse.
        }
    }
}
