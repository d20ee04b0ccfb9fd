package dev.ringside.model;

import dev.ringside.expert.ExpertArenaFactory;
import dev.ringside.expert.ExpertFetcher;
import dev.ringside.expert.ExpertOptions;
import dev.ringside.expert.ExpertTensors;
import dev.ringside.expert.GgufExpertSource;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.GpuBackend;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A model's experts in its file and the fetcher on them, or nothing of either for a dense model. */
record ExpertMemory(@Nullable GgufExpertSource source, @Nullable ExpertFetcher fetcher) implements AutoCloseable {

    static final ExpertMemory NONE = new ExpertMemory(null, null);

    static ExpertMemory open(GgufFile file, List<ExpertTensors> tensors, GpuBackend backend, ExpertArenaFactory arenas,
            ExpertOptions options) {
        GgufExpertSource source = GgufExpertSource.open(file, tensors, options.tuning().reads());
        try {
            return new ExpertMemory(source, ExpertFetcher.open(backend, source, arenas, options));
        } catch (RuntimeException | Error ex) {
            Closing.after(ex, source);
            throw ex;
        }
    }

    /** Bytes of all routed experts. */
    long totalBytes() {
        return source == null ? 0 : source.totalBytes();
    }

    /** Closes the fetcher, and with it the source. */
    @Override
    public void close() {
        if (fetcher != null) {
            fetcher.close();
        }
    }
}
