package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;
import dev.ringside.model.DraftHead;
import dev.ringside.model.LanguageModel;
import dev.ringside.model.ModelInfo;
import dev.ringside.sequence.StateLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A model with a draft block of known quality on top of its own, where it has one: what is drafted is given. The block checks that every row
 * is paired with the hidden state of its position.
 */
final class DraftingModel implements LanguageModel {

    /** Says what is drafted. */
    interface Guess {

        /** The token behind the one at a position. */
        int next(int position, int token);
    }

    private final LanguageModel inner;
    private final Guess guess;
    private int[] trunkPositions = {};
    private int[] draftPositions = {};
    /** Runs of the draft block. */
    final AtomicInteger drafts = new AtomicInteger();
    private volatile int failAt = -1;

    DraftingModel(LanguageModel inner, Guess guess) {
        this.inner = inner;
        this.guess = guess;
    }

    LanguageModel inner() {
        return inner;
    }

    /** Lets one run of the draft block fail. */
    void failAt(int run) {
        failAt = run;
    }

    @Override
    public ModelInfo info() {
        return inner.info();
    }

    @Override
    public StateLayout stateLayout() {
        return inner.stateLayout();
    }

    @Override
    public GpuStream stream() {
        return inner.stream();
    }

    @Override
    public void forward(StepRows rows, PinnedBuffer logits) {
        inner.forward(rows, logits);
        trunkPositions = positions(rows);
    }

    private static int[] positions(StepRows rows) {
        int[] positions = new int[rows.rows()];
        for (int row = 0; row < positions.length; row++) {
            positions[row] = rows.position(row);
        }
        return positions;
    }

    @Override
    public DraftHead draftHead() {
        return this::draft;
    }

    private void draft(StepRows rows, DraftHead.Hidden hidden, int[] hiddenRows, PinnedBuffer logits) {
        for (int row = 0; row < rows.rows(); row++) {
            if (hiddenRows[row] != DraftHead.CARRIED) {
                // A draft's own hidden state is that of the position in front of the next.
                int at = hidden == DraftHead.Hidden.TRUNK ? trunkPositions[hiddenRows[row]] : draftPositions[hiddenRows[row]] + 1;
                assertThat(at).as("position of the hidden state of row %d", row).isEqualTo(rows.position(row));
            }
        }
        if (drafts.getAndIncrement() == failAt) {
            throw new IllegalStateException("the draft block failed");
        }
        DraftHead own = inner.draftHead();
        if (own != null) {
            own.forward(rows, hidden, hiddenRows, logits);
        }
        draftPositions = positions(rows);
        int vocabulary = info().vocabularySize();
        for (int i = 0; i < rows.logitRows(); i++) {
            int row = rows.logitRow(i);
            MemorySegment target = logits.memory().asSlice(4L * i * vocabulary, 4L * vocabulary).fill((byte) 0);
            target.setAtIndex(ValueLayout.JAVA_FLOAT, guess.next(rows.position(row) + 1, rows.token(row)), 1);
        }
    }

    @Override
    public void close() {
        inner.close();
    }
}
