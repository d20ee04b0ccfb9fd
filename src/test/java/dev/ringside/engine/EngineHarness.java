package dev.ringside.engine;

import dev.ringside.gpu.KvType;
import dev.ringside.model.LanguageModel;
import dev.ringside.sampling.SamplingParameters;
import dev.ringside.sequence.CheckpointIdentity;
import dev.ringside.sequence.PrefixOptions;
import dev.ringside.sequence.PrefixStore;
import dev.ringside.sequence.StateBudget;
import dev.ringside.sequence.StatePool;
import dev.ringside.tokenizer.Tokenizer;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** An engine over a fake model and a real state pool. */
public final class EngineHarness implements AutoCloseable {

    public static final int VOCABULARY = 97;

    public final FakeModel model;
    public final InferenceEngine engine;
    public final StatePool pool;
    final TestBackend backend = new TestBackend();

    EngineHarness(FakeModel model, Tokenizer tokenizer, EngineOptions options, int sequences, int pages) {
        this(model, tokenizer, options, new StateBudget(sequences, 2, pages), null);
    }

    /** @param prefixes size of the prefix store, null for none */
    EngineHarness(FakeModel model, Tokenizer tokenizer, EngineOptions options, StateBudget budget, @Nullable PrefixOptions prefixes) {
        this(model, model, tokenizer, options, budget, prefixes);
    }

    /** A fake model with drafts. */
    EngineHarness(DraftingModel model, Tokenizer tokenizer, EngineOptions options, StateBudget budget, @Nullable PrefixOptions prefixes) {
        this(model, (FakeModel) model.inner(), tokenizer, options, budget, prefixes);
    }

    /** @param clock nanoseconds that only grow */
    static EngineHarness clocked(FakeModel model, Tokenizer tokenizer, EngineOptions options, StateBudget budget, LongSupplier clock) {
        return new EngineHarness(model, model, tokenizer, options, budget, null, clock);
    }

    private EngineHarness(LanguageModel model, FakeModel fake, Tokenizer tokenizer, EngineOptions options, StateBudget budget,
            @Nullable PrefixOptions prefixes) {
        this(model, fake, tokenizer, options, budget, prefixes, System::nanoTime);
    }

    private EngineHarness(LanguageModel model, FakeModel fake, Tokenizer tokenizer, EngineOptions options, StateBudget budget,
            @Nullable PrefixOptions prefixes, LongSupplier clock) {
        this.model = fake;
        this.pool = new StatePool(backend, backend.createStream(), model.stateLayout(), budget);
        PrefixStore store = prefixes == null ? null : new PrefixStore(pool, new CheckpointIdentity(1, KvType.F16), prefixes, null);
        this.engine = InferenceEngine.start(backend, model, pool, store, tokenizer, options, clock);
    }

    /** With a prefix store. */
    static EngineHarness caching(int maxActive, int stepTokens, int contextLength, int planes, int pages, PrefixOptions prefixes) {
        return new EngineHarness(new FakeModel(VOCABULARY, contextLength, FakeModel.byHash(VOCABULARY)), TestTokenizer.ofSize(VOCABULARY),
                new EngineOptions(maxActive, stepTokens, contextLength), new StateBudget(maxActive, planes, pages), prefixes);
    }

    EngineHarness(FakeModel model, Tokenizer tokenizer, EngineOptions options) {
        this(model, tokenizer, options, options.maxActive(), options.maxActive() * model.stateLayout().pagesFor(options.contextLength()));
    }

    /** Texts by a hash of the whole history; no end token. */
    public static EngineHarness hashing(int maxActive, int stepTokens, int contextLength) {
        return new EngineHarness(new FakeModel(VOCABULARY, contextLength, FakeModel.byHash(VOCABULARY)), TestTokenizer.ofSize(VOCABULARY),
                new EngineOptions(maxActive, stepTokens, contextLength));
    }

    /** Says the words one after the other, then the end token. */
    static EngineHarness reciting(String... words) {
        TestTokenizer tokenizer = TestTokenizer.ofWords(words);
        return new EngineHarness(new FakeModel(tokenizer.vocabularySize(), 64, FakeModel.counting()), tokenizer,
                new EngineOptions(4, 8, 64));
    }

    public static GenerationRequest request(String id, int maxTokens, int... prompt) {
        return new GenerationRequest(id, prompt, SamplingParameters.greedy(), maxTokens, List.of(), false);
    }

    static GenerationRequest stopping(String... stop) {
        return new GenerationRequest("stopping", new int[] {0}, SamplingParameters.greedy(), 50, List.of(stop), false);
    }

    /** A prompt of its own for each {@code seed}. */
    public static int[] prompt(int seed, int length) {
        int[] tokens = new int[length];
        for (int i = 0; i < length; i++) {
            tokens[i] = Math.floorMod(seed * 31 + i * 7, VOCABULARY - 1);
        }
        return tokens;
    }

    Recorder run(GenerationRequest request) {
        Recorder recorder = new Recorder();
        engine.submit(request, recorder);
        return recorder;
    }

    @Override
    public void close() {
        engine.close();
        pool.close();
        backend.close();
    }
}
