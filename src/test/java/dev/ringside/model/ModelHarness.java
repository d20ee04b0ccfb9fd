package dev.ringside.model;

import dev.ringside.expert.ExpertOptions;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;
import dev.ringside.gpu.host.HostBackend;
import dev.ringside.sequence.LogitsMode;
import dev.ringside.sequence.SequenceState;
import dev.ringside.sequence.StateBudget;
import dev.ringside.sequence.StatePool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A model on the CPU backend with a pool of sequences: runs token lists and gives back logits. */
public final class ModelHarness implements AutoCloseable {

    private static final int MAX_SEQUENCES = 12;

    private final GgufFile file;
    private final GpuBackend backend;
    private final LoadedModel loaded;
    private final StatePool pool;
    private final StepRows step;
    private final PinnedBuffer logits;
    private final int vocabulary;

    /**
     * @param maxRows most rows of a step, each of which may give logits
     * @param threads worker threads of the backend
     */
    public ModelHarness(Path path, int maxRows, int threads, KvType kvType, ExpertOptions experts) {
        this(path, maxRows, HostBackend.create(threads), kvType, experts);
    }

    /** A model on another backend, which the harness closes. */
    public ModelHarness(Path path, int maxRows, GpuBackend backend, KvType kvType, ExpertOptions experts) {
        this.file = GgufFile.open(path);
        this.backend = backend;
        this.loaded = ModelLoader.load(file, backend, new ModelOptions(maxRows, maxRows, kvType, 64, experts));
        this.pool = new StatePool(backend, loaded.model().stream(), loaded.model().stateLayout(), new StateBudget(MAX_SEQUENCES, 6, 256));
        this.step = new StepRows(maxRows);
        this.vocabulary = loaded.model().info().vocabularySize();
        this.logits = backend.allocatePinned(4L * maxRows * vocabulary, "logits");
    }

    public LoadedModel loaded() {
        return loaded;
    }

    public StatePool pool() {
        return pool;
    }

    public StepRows step() {
        return step;
    }

    public SequenceState sequence() {
        return pool.acquire(2_000);
    }

    /** Computes the prepared step and returns the wanted logits, row by row. */
    public List<float[]> forward() {
        loaded.model().forward(step, logits);
        return logits(step.logitRows());
    }

    /** Computes rows of the draft block. */
    public List<float[]> forward(DraftHead head, StepRows rows, DraftHead.Hidden hidden, int[] hiddenRows) {
        head.forward(rows, hidden, hiddenRows, logits);
        return logits(rows.logitRows());
    }

    private List<float[]> logits(int count) {
        List<float[]> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            MemorySegment row = logits.memory().asSlice(4L * i * vocabulary, 4L * vocabulary);
            rows.add(row.toArray(ValueLayout.JAVA_FLOAT));
        }
        return rows;
    }

    /** Feeds a prompt in chunks of at most {@code chunk} rows, committing each, and returns the logits of every position. */
    public List<float[]> feed(SequenceState sequence, int[] tokens, int chunk) {
        return feed(sequence, tokens, chunk, true);
    }

    /** The same, with rows that are those of a prompt or of decoding. */
    public List<float[]> feed(SequenceState sequence, int[] tokens, int chunk, boolean prompt) {
        List<float[]> all = new ArrayList<>();
        for (int from = 0; from < tokens.length; from += chunk) {
            int count = Math.min(chunk, tokens.length - from);
            step.clear();
            if (prompt) {
                step.beginPrompts();
            }
            sequence.prepare(step, tokens, from, count, false, LogitsMode.ALL);
            all.addAll(forward());
            sequence.commit(count);
        }
        return all;
    }

    /** Logits of every position of a fresh sequence. */
    public List<float[]> run(int[] tokens, int chunk) {
        try (SequenceState sequence = sequence()) {
            return feed(sequence, tokens, chunk);
        }
    }

    /** The arg-max continuation of a prompt, end tokens ignored. */
    public int[] greedy(int[] prompt, int count, int chunk) {
        try (SequenceState sequence = sequence()) {
            int[] generated = new int[count];
            generated[0] = argMax(feed(sequence, prompt, chunk).getLast());
            for (int i = 1; i < count; i++) {
                generated[i] = argMax(feed(sequence, new int[] {generated[i - 1]}, 1, false).getFirst());
            }
            return generated;
        }
    }

    public static int argMax(float[] values) {
        int best = 0;
        for (int i = 1; i < values.length; i++) {
            if (values[i] > values[best]) {
                best = i;
            }
        }
        return best;
    }

    @Override
    public void close() {
        pool.close();
        loaded.close();
        backend.freePinned(logits);
        backend.close();
        file.close();
    }
}
