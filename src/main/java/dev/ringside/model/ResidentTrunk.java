package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.ResidentKernels;
import dev.ringside.gpu.StepRows;
import org.jspecify.annotations.Nullable;

/**
 * Runs steps of few rows from recordings, as many layers at a time as experts are likely to be resident for. Where the device stopped for
 * want of an expert, the host brings it, does the rest of that layer, and lets the device go on behind it.
 *
 * <p>Nothing a stopped step leaves behind needs repair: the residual is untouched behind the router that stopped, keys and planes are written
 * again, and a plane a step reads is never one it writes.
 */
final class ResidentTrunk implements AutoCloseable {

    /** Shapes of steps whose recordings are kept: rows, segments and rows with logits vary little, contexts double. */
    private static final int MOST_SHAPES = 24;
    private static final int ATTEMPTS = 4;

    private final Device device;
    private final TrunkModel.Parts parts;
    private final TrunkModel.Layer[] layers;
    private final ResidentExperts experts;
    private final ResidentKernels kernels;
    /** The most recent first. */
    private final @Nullable StepRecordings[] shapes = new @Nullable StepRecordings[MOST_SHAPES];
    private final int whole;
    private final int embedding;
    private final int head;
    private int rows;
    private int logitRows;
    private @Nullable DevicePtr logits;
    /** Layers enqueued before the host looks; a step that stops halves it, one that does not doubles it. */
    private int window;

    private ResidentTrunk(Device device, TrunkModel.Parts parts, ResidentExperts experts) {
        this.device = device;
        this.parts = parts;
        this.layers = parts.layers().toArray(TrunkModel.Layer[]::new);
        this.experts = experts;
        this.kernels = experts.kernels();
        this.whole = layers.length;
        this.embedding = layers.length + 1;
        this.head = layers.length + 2;
        this.window = layers.length;
    }

    /** For a device that routes by itself, else null. */
    static @Nullable ResidentTrunk on(Device device, TrunkModel.Parts parts) {
        ResidentExperts experts = parts.resident();
        return experts == null ? null : new ResidentTrunk(device, parts, experts);
    }

    boolean serves(StepRows step) {
        return step.rows() > 0 && step.rows() <= kernels.maxRows() && step.decodeRows() == step.rows();
    }

    /** As {@link TrunkModel#forward}. */
    void forward(StepRows step, PinnedBuffer output) {
        rows = step.rows();
        logitRows = step.logitRows();
        logits = output.device();
        kernels.begin(step);
        experts.activate(true);
        try {
            StepRecordings recordings = recordings(output.device().address());
            for (int next = 0; next < layers.length;) {
                step.requireWanted();
                next = run(step, recordings, next);
            }
        } finally {
            experts.activate(false);
        }
    }

    /** Computes layers from {@code first} on, and the head behind the last; returns the first that is left to do. */
    private int run(StepRows step, StepRecordings recordings, int first) {
        int end = Math.min(layers.length, first + window);
        boolean all = first == 0 && end == layers.length;
        prepare(recordings, first, end, all);
        experts.update();
        if (all) {
            recordings.launch(whole);
        } else {
            launch(recordings, first, end);
        }
        if (end == layers.length) {
            keepHidden(step);
        }
        kernels.readLog(experts.routing(), first, end - first);
        device.stream().synchronize();
        int stopped = kernels.stoppedAt();
        account(first, stopped == ResidentKernels.NOWHERE ? end : stopped);
        if (stopped == ResidentKernels.NOWHERE) {
            window = Math.min(layers.length, 2 * window);
            return end;
        }
        window = Math.max(1, window / 2);
        kernels.resume();
        layers[stopped].finish(rows);
        if (stopped == layers.length - 1) {
            finishStep(step, recordings);
        }
        return stopped + 1;
    }

    private void finishStep(StepRows step, StepRecordings recordings) {
        if (logitRows > 0) {
            record(recordings, head);
            recordings.launch(head);
        }
        keepHidden(step);
        device.stream().synchronize();
    }

    private void launch(StepRecordings recordings, int first, int end) {
        if (first == 0) {
            recordings.launch(embedding);
        }
        for (int layer = first; layer < end; layer++) {
            recordings.launch(layer);
        }
        if (end == layers.length && logitRows > 0) {
            recordings.launch(head);
        }
    }

    /** Records what is missing before anything of it runs: recording removes the mark of a step that stopped. */
    private void prepare(StepRecordings recordings, int first, int end, boolean all) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            boolean changed = false;
            if (all) {
                changed = record(recordings, whole);
            } else {
                changed = first == 0 && record(recordings, embedding);
                for (int layer = first; layer < end; layer++) {
                    changed |= record(recordings, layer);
                }
                changed |= end == layers.length && logitRows > 0 && record(recordings, head);
            }
            if (!changed) {
                return;
            }
        }
    }

    private boolean record(StepRecordings recordings, int part) {
        if (recordings.has(part)) {
            return false;
        }
        recordings.record(part, () -> enqueue(part));
        return true;
    }

    private void enqueue(int part) {
        if (part == embedding || part == whole) {
            device.kernels().embed(parts.embedding(), parts.copies(), parts.states());
        }
        if (part == whole) {
            for (TrunkModel.Layer layer : layers) {
                layer.forward(rows, null);
            }
        } else if (part < layers.length) {
            layers[part].forward(rows, null);
        }
        if ((part == head || part == whole) && logitRows > 0 && logits != null) {
            parts.head().logits(parts.states(), logitRows, logits);
        }
    }

    private void keepHidden(StepRows step) {
        if (parts.hidden() != null) {
            parts.hidden().keep(step, parts.states());
        }
    }

    private void account(int first, int end) {
        for (int layer = first; layer < end; layer++) {
            MoeBlock block = layers[layer].experts();
            if (block != null) {
                block.account(rows);
            }
        }
    }

    private StepRecordings recordings(long output) {
        MoeBlock first = layers[0].experts();
        long shape = kernels.shape() << 1 | (first != null && first.looksAhead(rows) ? 1 : 0);
        for (int i = 0; i < MOST_SHAPES; i++) {
            StepRecordings found = shapes[i];
            if (found != null && found.serves(shape, output)) {
                System.arraycopy(shapes, 0, shapes, 1, i);
                shapes[0] = found;
                return found;
            }
        }
        StepRecordings oldest = shapes[MOST_SHAPES - 1];
        System.arraycopy(shapes, 0, shapes, 1, MOST_SHAPES - 1);
        StepRecordings made = new StepRecordings(kernels, shape, output, layers.length + 3);
        shapes[0] = made;
        if (oldest != null) {
            oldest.close();
        }
        return made;
    }

    @Override
    public void close() {
        for (StepRecordings kept : shapes) {
            if (kept != null) {
                kept.close();
            }
        }
    }
}
