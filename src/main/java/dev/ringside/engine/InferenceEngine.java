package dev.ringside.engine;

import dev.ringside.engine.GenerationException.Kind;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.model.DraftHead;
import dev.ringside.model.LanguageModel;
import dev.ringside.sampling.Sampler;
import dev.ringside.sampling.SamplerWorkspace;
import dev.ringside.sampling.TokenConstraint;
import dev.ringside.sequence.PrefixInfo;
import dev.ringside.sequence.PrefixSnapshot;
import dev.ringside.sequence.PrefixStore;
import dev.ringside.sequence.StatePool;
import dev.ringside.tokenizer.Tokenizer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs generations on one thread that owns the device. Every step computes one row of each sequence that generates, and shares what is left
 * of {@link EngineOptions#stepTokens()} among the prompts that wait, so that neither long prompts nor many streams stall anybody.
 *
 * <p>Thread safe. The model, the pool and the backend are the caller's to close, after the engine.
 */
public final class InferenceEngine implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(InferenceEngine.class);
    private static final Duration LONGEST_STEP = Duration.ofSeconds(30);

    private final EngineOptions options;
    private final Tokenizer tokenizer;
    private final int modelVocabulary;
    private final SamplerWorkspace workspace;
    private final EngineCounters counters;
    private final int maxDrafts;
    private final StatePool pool;
    private final Prefixes prefixes;
    private final EngineLoop loop;
    private final Thread thread;

    private InferenceEngine(GpuBackend gpu, LanguageModel model, StatePool pool, @Nullable PrefixStore store, Tokenizer tokenizer,
            EngineOptions options, LongSupplier clock) {
        this.options = options;
        this.pool = pool;
        this.prefixes = new Prefixes(pool, store);
        this.tokenizer = tokenizer;
        this.modelVocabulary = model.info().vocabularySize();
        // Some models have more rows than their tokenizer has tokens: what has no text is never sampled.
        this.workspace = new SamplerWorkspace(Math.min(modelVocabulary, tokenizer.vocabularySize()));
        int most = options.speculation().maxDrafts();
        DraftHead draftHead = most == 0 ? null : model.draftHead();
        this.maxDrafts = draftHead == null ? 0 : Math.min(most, pool.budget().planes() - 2);
        this.counters = new EngineCounters(maxDrafts);
        int logitRows = maxDrafts == 0 ? options.maxActive() : options.speculation().logitRows(options.maxActive());
        PinnedBuffer logits = gpu.allocatePinned((long) Float.BYTES * logitRows * modelVocabulary, "logits");
        Outcome outcome = new Outcome(counters, prefixes);
        Speculation speculation = draftHead == null || maxDrafts == 0
                ? null
                : new Speculation(draftHead, tokenizer, logits, (long) Float.BYTES * modelVocabulary, workspace.vocabulary(), options,
                        new DraftPlan(options.speculation(), logitRows), store != null);
        StepRunner step = new StepRunner(model, tokenizer, logits, options, workspace, counters, outcome, prefixes, speculation);
        Residency residency = new Residency(pool, prefixes, outcome, counters, options.stepTokens(), clock);
        this.loop = new EngineLoop(residency, step, prefixes, outcome, counters, options.maxActive(), () -> {
            try {
                prefixes.close();
            } finally {
                gpu.freePinned(logits);
            }
        });
        this.thread = Thread.ofPlatform().name("ringside-engine").daemon().unstarted(loop);
    }

    /**
     * Starts an engine; its thread is the only one to use {@code model} and {@code pool} from here on.
     *
     * @throws IllegalArgumentException when the options ask for a longer context than the model has
     */
    public static InferenceEngine start(GpuBackend gpu, LanguageModel model, StatePool pool, Tokenizer tokenizer, EngineOptions options) {
        return start(gpu, model, pool, null, tokenizer, options);
    }

    /**
     * As above.
     *
     * @param prefixes of the pool, or null to compute every prompt from its beginning; the engine closes it
     */
    public static InferenceEngine start(GpuBackend gpu, LanguageModel model, StatePool pool, @Nullable PrefixStore prefixes,
            Tokenizer tokenizer,
            EngineOptions options) {
        return start(gpu, model, pool, prefixes, tokenizer, options, System::nanoTime);
    }

    /** @param clock nanoseconds that only grow, by which suspended requests lose their patience */
    static InferenceEngine start(GpuBackend gpu, LanguageModel model, StatePool pool, @Nullable PrefixStore prefixes, Tokenizer tokenizer,
            EngineOptions options, LongSupplier clock) {
        if (options.contextLength() > model.info().contextLength()) {
            throw new IllegalArgumentException(
                    "The context length of " + options.contextLength() + " is more than the model's " + model.info().contextLength());
        }
        InferenceEngine engine = new InferenceEngine(gpu, model, pool, prefixes, tokenizer, options, clock);
        engine.thread.start();
        return engine;
    }

    public EngineOptions options() {
        return options;
    }

    /** Ids that can be sampled and biased are 0 to this number, exclusive. */
    public int vocabularySize() {
        return workspace.vocabulary();
    }

    /**
     * Checks a request as {@link #submit} does.
     *
     * @throws dev.ringside.sampling.InvalidSamplingException when {@code logit_bias} names an id outside the vocabulary
     * @throws IllegalArgumentException naming what else is wrong
     */
    public void validate(GenerationRequest request) {
        int length = request.prompt().length;
        if (length == 0) {
            throw new IllegalArgumentException("The prompt has no tokens");
        }
        if (length >= options.contextLength()) {
            throw new IllegalArgumentException("The prompt has " + length + " tokens, but the context holds " + options.contextLength()
                    + " together with at least one generated token");
        }
        for (int i = 0; i < length; i++) {
            int token = request.prompt()[i];
            if (token < 0 || token >= modelVocabulary) {
                throw new IllegalArgumentException(
                        "Token " + i + " of the prompt is " + token + ", but the vocabulary has ids 0 to " + (modelVocabulary - 1));
            }
        }
        if (request.maxTokens() < 1) {
            throw new IllegalArgumentException("max_tokens must be at least 1, got " + request.maxTokens());
        }
        requireStateFits(length, Math.min(request.maxTokens(), options.contextLength() - length));
        if (request.stop().contains("")) {
            throw new IllegalArgumentException("A stop string must not be empty");
        }
        if (request.logprobs() < GenerationRequest.NO_LOGPROBS) {
            throw new IllegalArgumentException("logprobs must be -1 (none) or more, got " + request.logprobs());
        }
        Sampler.requireBiasWithin(request.sampling(), workspace.vocabulary());
    }

    private void requireStateFits(int prompt, int completion) {
        // The last token generated is not computed.
        int positions = prompt + completion - 1;
        long pages = pool.budget().pages();
        if (pool.layout().pagesFor(positions) > pages) {
            int most = (int) Math.min(Integer.MAX_VALUE, pages * pool.layout().pageTokens());
            throw new IllegalArgumentException(
                    "A prompt of " + prompt + " tokens and " + completion + " more take " + pool.bytesFor(positions)
                            + " bytes of state, but there are only " + pool.bytesFor(most)
                            + " (ringside.state.memory-bytes). Shorten the prompt or lower max_tokens: together they may be " + (most + 1)
                            + " tokens");
        }
    }

    /**
     * Takes a request in; requests start in the order in which they come.
     *
     * @param listener hears of it on the engine thread
     * @throws GenerationException of kind {@link Kind#SHUTDOWN} when the engine is closed or has stopped
     * @throws IllegalArgumentException as {@link #validate} says
     */
    public Generation submit(GenerationRequest request, GenerationListener listener) {
        validate(request);
        return enqueue(request, listener, false);
    }

    /**
     * Computes {@link EngineOptions#warmUpTokens()} tokens, half of them as a prompt, so that the first request meets compiled code, and
     * returns when it is done.
     *
     * @throws GenerationException when that fails, which a request would do as well
     */
    public void warmUp() {
        WarmUp.request(options, workspace.vocabulary()).ifPresent(request -> {
            WarmUp warmUp = new WarmUp();
            warmUp.await(enqueue(request, warmUp, true));
        });
    }

    /** What the engine does and has done, from any thread. */
    public EngineSnapshot snapshot() {
        return counters.snapshot(options.maxActive(), !loop.isTerminated());
    }

    /** What the prefix store holds and has done, from any thread; all zeros without one. */
    public PrefixSnapshot prefixes() {
        return prefixes.snapshot();
    }

    /** The prefixes used last, at most so many, as of the next pause between two steps. */
    public CompletableFuture<List<PrefixInfo>> listPrefixes(int most) {
        return errand(() -> prefixes.list(most), List.of());
    }

    /** Drops the prefix with an id, or all when it is null, in the next pause between two steps. Tells how many there were. */
    public CompletableFuture<Integer> dropPrefixes(@Nullable String id) {
        return errand(() -> prefixes.drop(id), 0);
    }

    /** Has something done on the engine thread, in the next pause between two steps. False, and it never happens, when the engine has ended. */
    public boolean betweenSteps(Runnable work) {
        boolean taken = loop.offer(work);
        LockSupport.unpark(thread);
        return taken;
    }

    /** @param otherwise the answer of an engine that has ended */
    private <T> CompletableFuture<T> errand(Supplier<T> work, T otherwise) {
        CompletableFuture<T> result = new CompletableFuture<>();
        boolean taken = loop.offer(() -> {
            try {
                result.complete(work.get());
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        if (!taken) {
            result.complete(otherwise);
        }
        LockSupport.unpark(thread);
        return result;
    }

    /** As {@link #close(Duration)}, waiting for the longest step to be expected. */
    @Override
    public void close() {
        close(LONGEST_STEP);
    }

    /**
     * Ends running and waiting generations with {@link Kind#SHUTDOWN} behind the step at hand, then the thread. Idempotent.
     *
     * @param patience how long to wait for that
     * @return whether the thread has ended; if not, the model, the pool and the backend are still in use
     */
    public boolean close(Duration patience) {
        loop.close();
        LockSupport.unpark(thread);
        if (Thread.currentThread() == thread) {
            return false;
        }
        try {
            if (thread.join(patience)) {
                return true;
            }
            log.warn("The engine is still in a step after {} s", patience.toSeconds());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private Generation enqueue(GenerationRequest request, GenerationListener listener, boolean synthetic) {
        Supplier<TokenConstraint> constraint = request.constraint();
        Sampler sampler = new Sampler(request.sampling(), workspace, constraint == null ? null : constraint.get());
        sampler.prompt(request.prompt());
        int limit = Math.min(request.maxTokens(), options.contextLength() - request.prompt().length);
        ActiveGeneration generation = new ActiveGeneration(request, listener, sampler,
                new OutputText(tokenizer, request.stop(), request.markers()),
                limit, synthetic, maxDrafts, thread);
        if (!loop.offer(generation)) {
            throw new GenerationException(Kind.SHUTDOWN, "The engine takes no more requests");
        }
        LockSupport.unpark(thread);
        return generation;
    }
}
