package dev.ringside.cli;

import dev.ringside.cli.StateReport.Draft;
import dev.ringside.cli.StateReport.Drafts;
import dev.ringside.cli.StateReport.Prefix;
import dev.ringside.engine.EngineOptions;
import dev.ringside.engine.GenerationEvent.Completed;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.engine.InferenceEngine;
import dev.ringside.engine.SpeculationOptions;
import dev.ringside.engine.SpeculationSnapshot;
import dev.ringside.expert.ExpertOptions;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;
import dev.ringside.gpu.host.HostBackend;
import dev.ringside.model.LoadedModel;
import dev.ringside.model.ModelLoader;
import dev.ringside.model.ModelOptions;
import dev.ringside.sampling.SamplingParameters;
import dev.ringside.sequence.Checkpoint;
import dev.ringside.sequence.CheckpointIdentity;
import dev.ringside.sequence.LogitsMode;
import dev.ringside.sequence.PrefixOptions;
import dev.ringside.sequence.PrefixStore;
import dev.ringside.sequence.SequenceState;
import dev.ringside.sequence.StateBudget;
import dev.ringside.sequence.StatePool;
import dev.ringside.tokenizer.SpecialTokens;
import dev.ringside.tokenizer.Tokenizer;
import dev.ringside.tokenizer.TokenizerException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Times checkpoints, prefixes of prompts and drafts: a model with an engine of its own, on the CPU. */
final class StateBench {

    private static final int PAGE_TOKENS = 64;
    private static final int MOST_DRAFTS = 3;
    private static final int TRANSFERS = 5;
    private static final CheckpointIdentity IDENTITY = new CheckpointIdentity(1, KvType.F16);
    private static final List<String> TEXTS = List.of(
            "Once upon a time there was a small fox named Pip. He lived in the forest. One sunny day,",
            "<|im_start|>user\nTell me a story about a fox and a golden key.<|im_end|>\n<|im_start|>assistant\n",
            "<|im_start|>user\nWhat does courage mean?<|im_end|>\n<|im_start|>assistant\n",
            "The sun was shining, and in the village everybody");

    /**
     * What is measured.
     *
     * @param threads worker threads, 0 for one for each processor
     * @param stepRows most rows of a step
     * @param prompt tokens of the prompt that is saved, restored and begun again
     * @param decode tokens generated of each text
     */
    record Settings(int threads, int stepRows, int prompt, int decode, int repeats, double warmUpSeconds) {}

    private final Settings settings;
    private final GgufFile file;
    private final GpuBackend backend;
    private final LoadedModel loaded;
    private final StatePool pool;
    private final int context;

    private StateBench(Settings settings, GgufFile file, GpuBackend backend, LoadedModel loaded, StatePool pool, int context) {
        this.settings = settings;
        this.file = file;
        this.backend = backend;
        this.loaded = loaded;
        this.pool = pool;
        this.context = context;
    }

    static StateReport measure(Path path, ExpertOptions experts, Settings settings) {
        int rows = Math.max(settings.stepRows(), 1 + MOST_DRAFTS);
        try (GgufFile file = GgufFile.open(path);
                GpuBackend backend = HostBackend.create(settings.threads());
                LoadedModel loaded = ModelLoader.load(file, backend, new ModelOptions(rows, 1 + MOST_DRAFTS, KvType.F16, PAGE_TOKENS,
                        experts.withMemoryBudget(backend.device().totalBytes() / 2)))) {
            int context = Math.min(loaded.model().info().contextLength(), Math.max(settings.prompt() + 2, settings.decode() + 64));
            // Two sequences, and room for prefixes of theirs.
            long pages = 4L * loaded.model().stateLayout().pagesFor(context);
            try (StatePool pool = new StatePool(backend, loaded.model().stream(), loaded.model().stateLayout(),
                    new StateBudget(2, 2 + MOST_DRAFTS, pages))) {
                return new StateBench(settings, file, backend, loaded, pool, context).report(rows);
            }
        }
    }

    private StateReport report(int rows) {
        int position = Math.min(settings.prompt(), context - 2);
        PinnedBuffer logits = backend.allocatePinned(4L * loaded.model().info().vocabularySize(), "logits");
        double[] transfers;
        long bytes;
        try (SequenceState from = pool.acquire(context); SequenceState to = pool.acquire(context)) {
            prefill(from, tokens(position, 0), rows, logits);
            Checkpoint checkpoint = Checkpoint.save(from, IDENTITY);
            bytes = checkpoint.bytes();
            double save = 0;
            double restore = 0;
            for (int i = 0; i < TRANSFERS; i++) {
                long start = System.nanoTime();
                checkpoint = checkpoint.saveInto(from, IDENTITY);
                save = Math.max(save, bytes * 1e9 / (System.nanoTime() - start));
                start = System.nanoTime();
                checkpoint.restore(to, IDENTITY);
                restore = Math.max(restore, bytes * 1e9 / (System.nanoTime() - start));
            }
            checkpoint.close();
            transfers = new double[] {save, restore, plainCopy(bytes)};
        } finally {
            backend.freePinned(logits);
        }
        Tokenizer tokenizer = tokenizer();
        return new StateReport(position, bytes, transfers[0], transfers[1], transfers[2],
                tokenizer == null ? null : prefix(tokenizer, position),
                tokenizer == null || loaded.model().draftHead() == null ? null : drafts(tokenizer));
    }

    private void prefill(SequenceState sequence, int[] tokens, int rows, PinnedBuffer logits) {
        StepRows step = new StepRows(rows);
        for (int from = 0; from < tokens.length; from += rows) {
            int count = Math.min(rows, tokens.length - from);
            step.clear();
            sequence.prepare(step, tokens, from, count, false, LogitsMode.NONE);
            loaded.model().forward(step, logits);
            sequence.commit(count);
        }
    }

    private static double plainCopy(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocate(bytes, 64).fill((byte) 1);
            MemorySegment to = arena.allocate(bytes, 64).fill((byte) 2);
            double best = 0;
            for (int i = 0; i < TRANSFERS; i++) {
                long start = System.nanoTime();
                to.copyFrom(from);
                best = Math.max(best, bytes * 1e9 / (System.nanoTime() - start));
            }
            return best;
        }
    }

    /** Null for files without one, whose prompts nobody could type. */
    private @Nullable Tokenizer tokenizer() {
        try {
            return Tokenizer.from(file.metadata());
        } catch (TokenizerException e) {
            return null;
        }
    }

    private int[] tokens(int count, long seed) {
        return new SplittableRandom(seed).ints(count, 0, loaded.model().info().vocabularySize()).toArray();
    }

    private InferenceEngine engine(Tokenizer tokenizer, @Nullable PrefixStore store, SpeculationOptions drafts) {
        return InferenceEngine.start(backend, loaded.model(), pool, store, tokenizer,
                new EngineOptions(1, Math.max(settings.stepRows(), 1 + MOST_DRAFTS), context, 0).with(drafts));
    }

    private Prefix prefix(Tokenizer tokenizer, int length) {
        PrefixStore store = new PrefixStore(pool, IDENTITY, new PrefixOptions(1L << 30, 256, Duration.ofHours(1)), null);
        double[] cold = new double[settings.repeats()];
        double[] hit = new double[settings.repeats()];
        int cached = 0;
        try (InferenceEngine engine = engine(tokenizer, store, SpeculationOptions.NONE)) {
            for (int i = -1; i < cold.length; i++) {
                int[] prompt = tokens(length, 100 + i);
                Completed first = run(engine, prompt, 1);
                Completed second = run(engine, prompt, 1);
                if (i >= 0) {
                    cold[i] = first.timings().prompt() / 1e9;
                    hit[i] = second.timings().prompt() / 1e9;
                    cached = second.usage().cachedTokens();
                }
            }
        }
        Arrays.sort(cold);
        Arrays.sort(hit);
        return new Prefix(length, cold[cold.length / 2], hit[hit.length / 2], cached);
    }

    private Drafts drafts(Tokenizer tokenizer) {
        double[] plain = new double[2];
        decode(tokenizer, SpeculationOptions.NONE, plain);
        List<Draft> measured = new ArrayList<>();
        for (int most = 1; most <= MOST_DRAFTS + 1; most++) {
            boolean adaptive = most > MOST_DRAFTS;
            SpeculationOptions options = new SpeculationOptions(Math.min(most, MOST_DRAFTS), adaptive);
            double[] rate = new double[2];
            SpeculationSnapshot seen = decode(tokenizer, options, rate);
            List<Double> at = new ArrayList<>();
            for (int i = 0; i < seen.draftedAt().size(); i++) {
                at.add(seen.draftedAt().get(i) == 0 ? 0 : (double) seen.acceptedAt().get(i) / seen.draftedAt().get(i));
            }
            measured.add(new Draft(options.maxDrafts(), adaptive, rate[0], rate[0] / plain[0], seen.drafted(), seen.accepted(),
                    seen.acceptance(), at, seen.tokensPerStep()));
        }
        return new Drafts(plain[0], (long) plain[1], measured);
    }

    /** @param out tokens a second of the fastest repeat, and tokens of one */
    private SpeculationSnapshot decode(Tokenizer tokenizer, SpeculationOptions drafts, double[] out) {
        try (InferenceEngine engine = engine(tokenizer, null, drafts)) {
            long warmUntil = System.nanoTime() + (long) (settings.warmUpSeconds() * 1e9);
            do {
                run(engine, tokenizer.encode(TEXTS.getFirst(), SpecialTokens.RECOGNISE), settings.decode());
            } while (System.nanoTime() < warmUntil);
            for (int i = 0; i < settings.repeats(); i++) {
                long nanos = 0;
                long tokens = 0;
                for (String text : TEXTS) {
                    Completed done = run(engine, tokenizer.encode(text, SpecialTokens.RECOGNISE), settings.decode());
                    nanos += done.timings().generation();
                    tokens += done.usage().completionTokens();
                }
                out[0] = Math.max(out[0], tokens * 1e9 / nanos);
                out[1] = tokens;
            }
            return engine.snapshot().speculation();
        }
    }

    private static Completed run(InferenceEngine engine, int[] prompt, int maxTokens) {
        BenchListener listener = new BenchListener();
        engine.submit(new GenerationRequest("bench", prompt, SamplingParameters.greedy(), maxTokens, List.of(), false), listener);
        return listener.await();
    }
}
