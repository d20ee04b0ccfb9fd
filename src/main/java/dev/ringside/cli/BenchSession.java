package dev.ringside.cli;

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
import dev.ringside.sequence.LogitsMode;
import dev.ringside.sequence.SequenceState;
import dev.ringside.sequence.StateBudget;
import dev.ringside.sequence.StatePool;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/** A model on a device with sequences to run through it, without tokenizer, scheduler or HTTP. One thread. */
final class BenchSession implements AutoCloseable {

    private static final int PAGE_TOKENS = 64;
    /** One to read and one to write. */
    private static final int PLANES = 2;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final GgufFile file;
    private final GpuBackend backend;
    private final LoadedModel loaded;
    private final SequenceState[] sequences;
    private final StepRows step;
    private final PinnedBuffer logits;

    /**
     * @param threads worker threads, 0 for one for each processor
     * @param stepRows most rows of a step
     * @param batch sequences
     * @param length most tokens of each
     */
    BenchSession(Path path, int threads, int stepRows, int batch, int length, ExpertOptions experts) {
        this(path, () -> HostBackend.create(threads), stepRows, batch, length, experts);
    }

    /** @param device opens the device the model is to run on, which the session closes */
    BenchSession(Path path, Supplier<GpuBackend> device, int stepRows, int batch, int length, ExpertOptions experts) {
        try {
            int rows = Math.max(stepRows, batch);
            file = opened(GgufFile.open(path));
            backend = opened(device.get());
            ExpertOptions budgeted = experts.withMemoryBudget(backend.device().totalBytes() / 2);
            loaded = opened(ModelLoader.load(file, backend, new ModelOptions(rows, batch, KvType.F16, PAGE_TOKENS, budgeted)));
            long pages = (long) batch * Math.ceilDiv(length, PAGE_TOKENS);
            StatePool pool = opened(
                    new StatePool(backend, loaded.model().stream(), loaded.model().stateLayout(), new StateBudget(batch, PLANES, pages)));
            sequences = new SequenceState[batch];
            for (int i = 0; i < batch; i++) {
                sequences[i] = opened(pool.acquire(length));
            }
            step = new StepRows(rows);
            PinnedBuffer memory = backend.allocatePinned(4L * batch * loaded.model().info().vocabularySize(), "logits");
            open.push(() -> backend.freePinned(memory));
            logits = memory;
        } catch (RuntimeException | Error e) {
            closeAfter(e);
            throw e;
        }
    }

    private <T extends AutoCloseable> T opened(T part) {
        open.push(part);
        return part;
    }

    GgufFile file() {
        return file;
    }

    GpuBackend backend() {
        return backend;
    }

    LoadedModel loaded() {
        return loaded;
    }

    /** Logits of the last step, F32, row by row. */
    PinnedBuffer logits() {
        return logits;
    }

    /** Every sequence starts again. */
    void reset() {
        for (SequenceState sequence : sequences) {
            sequence.reset();
        }
    }

    /** Reads a prompt into a sequence, in steps of at most {@code stepRows} rows; gives the number of steps. */
    int prefill(int index, int[] tokens, int length, int stepRows) {
        SequenceState sequence = sequences[index];
        int steps = 0;
        for (int from = 0; from < length; steps++) {
            int count = Math.min(stepRows, length - from);
            step.clear();
            step.beginPrompts();
            sequence.prepare(step, tokens, from, count, false, from + count == length ? LogitsMode.LAST : LogitsMode.NONE);
            loaded.model().forward(step, logits);
            sequence.commit(count);
            from += count;
        }
        return steps;
    }

    /** One more token for each of the first {@code batch} sequences, those from {@code tokens[from]}. */
    void decode(int[] tokens, int from, int batch) {
        step.clear();
        for (int i = 0; i < batch; i++) {
            sequences[i].prepare(step, tokens, from + i, 1, false, LogitsMode.LAST);
        }
        loaded.model().forward(step, logits);
        for (int i = 0; i < batch; i++) {
            sequences[i].commit(1);
        }
    }

    @Override
    public void close() {
        CommandException failure = new CommandException("the model could not be closed", null);
        closeAfter(failure);
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    private void closeAfter(Throwable failure) {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                failure.addSuppressed(e);
            }
        }
    }
}
