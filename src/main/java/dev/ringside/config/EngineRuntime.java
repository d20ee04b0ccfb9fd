package dev.ringside.config;

import dev.ringside.engine.EngineOptions;
import dev.ringside.engine.InferenceEngine;
import dev.ringside.engine.SpeculationOptions;
import dev.ringside.expert.ExpertArenaFactory;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.model.LoadProgress;
import dev.ringside.model.LoadedModel;
import dev.ringside.model.ModelInfo;
import dev.ringside.model.ModelLoader;
import dev.ringside.model.ModelOptions;
import dev.ringside.sequence.StatePool;
import dev.ringside.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A model file on a device with an engine on top: everything whose memory the engine's thread uses, opened in order and closed in the
 * reverse one.
 */
final class EngineRuntime implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EngineRuntime.class);
    private static final Duration LONGEST_STEP = Duration.ofSeconds(30);

    private final Deque<Runnable> closers = new ArrayDeque<>();
    private final GgufFile file;
    private final GpuBackend backend;
    private final Tokenizer tokenizer;
    private final LoadedModel loaded;
    private final StatePool pool;
    private final InferenceEngine engine;
    private final int contextLength;

    private EngineRuntime(RingsideProperties settings, GpuBackend backend, ExpertArenaFactory arenas, Path path,
            LoadProgress.Listener progress) {
        this.backend = closing(backend, GpuBackend::close);
        try {
            long start = System.nanoTime();
            file = closing(GgufFile.open(path), GgufFile::close);
            LOG.info("Model {}: {}, {} tensors, {}", path, file.architecture(), file.tensors().size(), Sizes.text(file.totalTensorBytes()));
            LOG.info("Device: {} ({}, {})", backend.device().name(), backend.device().backend(), backend.device().detail());
            tokenizer = Tokenizer.from(file.metadata());
            ModelOptions options = ModelSettings.of(settings, file, backend.device()).reporting(progress);
            loaded = closing(ModelLoader.load(file, backend, arenas, options), LoadedModel::close);
            SpeculationOptions drafts = loaded.model().draftHead() == null
                    ? SpeculationOptions.NONE
                    : Drafting.of(settings, file);
            StatePlan plan = StatePlan.of(settings, loaded.model().info(), loaded.model().stateLayout(), backend.device(),
                    drafts.maxDrafts());
            contextLength = plan.contextLength();
            pool = closing(new StatePool(backend, loaded.model().stream(), loaded.model().stateLayout(), plan.budget()), StatePool::close);
            engine = InferenceEngine.start(backend, loaded.model(), pool, PrefixStores.open(settings, file, pool), tokenizer,
                    new EngineOptions(settings.scheduler().maxActive(), settings.scheduler().stepTokens(backend.device()), contextLength)
                            .withTargetInterToken(settings.scheduler().targetInterToken()).with(drafts));
            logLoaded(System.nanoTime() - start);
        } catch (RuntimeException | Error e) {
            closeAll(e);
            throw e;
        }
    }

    /**
     * Opens the model that is set, or the built-in one.
     *
     * @throws StartupException saying what is wrong and what would help; nothing stays open
     */
    static EngineRuntime open(RingsideProperties settings, GpuBackend backend, ExpertArenaFactory arenas) {
        return open(settings, backend, arenas, ModelFile.of(settings).path(), LoadProgress.Listener.NONE);
    }

    /**
     * Opens a model.
     *
     * @param progress hears how far it is, on this thread
     * @throws StartupException saying what is wrong and what would help; nothing stays open
     */
    static EngineRuntime open(RingsideProperties settings, GpuBackend backend, ExpertArenaFactory arenas, Path path,
            LoadProgress.Listener progress) {
        try {
            return new EngineRuntime(settings, backend, arenas, path, progress);
        } catch (RuntimeException e) {
            throw StartupFailures.explain(e, path);
        }
    }

    private <T> T closing(T resource, Consumer<T> closer) {
        closers.push(() -> closer.accept(resource));
        return resource;
    }

    private void logLoaded(long nanos) {
        var experts = loaded.expertSnapshot();
        ModelInfo info = loaded.model().info();
        if (experts.experts() > 0) {
            LOG.info("Experts: {} of {} fit in the {} arena of {}", experts.slots(), experts.experts(), experts.arena(),
                    Sizes.text(experts.slots() * experts.slotBytes()));
        }
        LOG.info("Loaded {} in {} s: {} layers, context of {} tokens, sequence state of up to {}", info.name(),
                String.format(Locale.ROOT, "%.2f", nanos / 1e9), info.layers(), contextLength, Sizes.text(pool.snapshot().bytesTotal()));
    }

    GgufFile file() {
        return file;
    }

    GpuBackend backend() {
        return backend;
    }

    Tokenizer tokenizer() {
        return tokenizer;
    }

    LoadedModel loaded() {
        return loaded;
    }

    StatePool pool() {
        return pool;
    }

    InferenceEngine engine() {
        return engine;
    }

    int contextLength() {
        return contextLength;
    }

    /** Closes everything; when the engine's thread does not end, what it uses stays open rather than being pulled from under it. */
    @Override
    public synchronized void close() {
        if (closers.isEmpty()) {
            return;
        }
        if (engine.close(LONGEST_STEP)) {
            closeAll(null);
        } else {
            closers.clear();
        }
    }

    private void closeAll(@Nullable Throwable cause) {
        while (!closers.isEmpty()) {
            try {
                closers.pop().run();
            } catch (RuntimeException e) {
                if (cause == null) {
                    LOG.warn("A part of the engine did not close", e);
                } else {
                    cause.addSuppressed(e);
                }
            }
        }
    }
}
