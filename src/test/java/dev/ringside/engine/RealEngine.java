package dev.ringside.engine;

import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.host.HostBackend;
import dev.ringside.model.Experts;
import dev.ringside.model.LanguageModel;
import dev.ringside.model.LoadedModel;
import dev.ringside.model.ModelLoader;
import dev.ringside.model.ModelOptions;
import dev.ringside.sequence.CheckpointIdentity;
import dev.ringside.sequence.PrefixOptions;
import dev.ringside.sequence.PrefixStore;
import dev.ringside.sequence.StateBudget;
import dev.ringside.sequence.StatePool;
import dev.ringside.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An engine on a real model. */
final class RealEngine implements AutoCloseable {

    static final int PAGE_TOKENS = 16;
    private static final int STEP_TOKENS = 64;
    static final int CONTEXT = 256;

    /**
     * How it is set up.
     *
     * @param prefixes whether there is a prefix store
     * @param pageTokens tokens of a page
     * @param drafts 0 for none
     * @param guess what the draft block proposes instead of its own guesses, or null
     * @param device opens the backend
     */
    record Setup(Path file, KvType kvType, int maxActive, int pages, int pageTokens, boolean prefixes, int drafts,
            DraftingModel.@Nullable Guess guess, Supplier<GpuBackend> device) {

        /** Small pages, nothing drafted, no prefixes. */
        static Setup plain(Path file, KvType kvType, int pages) {
            return new Setup(file, kvType, 4, pages, PAGE_TOKENS, false, 0, null, () -> HostBackend.create(2));
        }

        Setup with(boolean newPrefixes, int newDrafts) {
            return new Setup(file, kvType, maxActive, pages, pageTokens, newPrefixes, newDrafts, guess, device);
        }

        Setup guessing(DraftingModel.Guess newGuess) {
            return new Setup(file, kvType, maxActive, pages, pageTokens, prefixes, drafts, newGuess, device);
        }

        Setup on(Supplier<GpuBackend> newDevice) {
            return new Setup(file, kvType, maxActive, pages, pageTokens, prefixes, drafts, guess, newDevice);
        }
    }

    final InferenceEngine engine;
    final StatePool pool;
    final Tokenizer tokenizer;
    final LoadedModel loaded;
    private final GgufFile file;
    private final GpuBackend backend;

    RealEngine(Setup setup) {
        file = GgufFile.open(setup.file());
        backend = setup.device().get();
        SpeculationOptions drafts = new SpeculationOptions(setup.drafts(), false);
        loaded = ModelLoader.load(file, backend,
                new ModelOptions(STEP_TOKENS, drafts.logitRows(setup.maxActive()), setup.kvType(), setup.pageTokens(),
                        Experts.allResident(), setup.drafts() > 0));
        LanguageModel model = setup.guess() == null ? loaded.model() : new DraftingModel(loaded.model(), setup.guess());
        pool = new StatePool(backend, model.stream(), model.stateLayout(),
                new StateBudget(setup.maxActive(), Math.max(3, 2 + setup.drafts()), setup.pages()));
        PrefixStore store = setup.prefixes()
                ? new PrefixStore(pool, new CheckpointIdentity(1, setup.kvType()), new PrefixOptions(4 << 20, 32, Duration.ofHours(1)),
                        null)
                : null;
        tokenizer = file.metadata().keys().contains("tokenizer.ggml.tokens")
                ? Tokenizer.from(file.metadata())
                : TestTokenizer.ofSize(model.info().vocabularySize());
        engine = InferenceEngine.start(backend, model, pool, store, tokenizer,
                new EngineOptions(setup.maxActive(), STEP_TOKENS, CONTEXT, 0).with(drafts));
    }

    List<Recorder> run(List<GenerationRequest> requests) {
        List<Recorder> recorders = new ArrayList<>();
        for (GenerationRequest request : requests) {
            Recorder recorder = new Recorder();
            engine.submit(request, recorder);
            recorders.add(recorder);
        }
        recorders.forEach(Recorder::completed);
        return recorders;
    }

    @Override
    public void close() {
        engine.close();
        pool.close();
        loaded.close();
        backend.close();
        file.close();
    }
}
