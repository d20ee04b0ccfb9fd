package dev.ringside.model;

import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;

/**
 * The draft (MTP) block of a model: it guesses the token after next from the token that follows a position and the hidden state at that
 * position. It keeps attention state of its own in the sequence's pages, so every accepted token must be fed to it before it drafts on.
 */
public interface DraftHead {

    /** Where a row's hidden state comes from. */
    enum Hidden {
        /** A row of the model's last step, whose hidden states stay until its next one. */
        TRUNK,
        /** A row of this head's own last call: for a further draft on top of a draft. */
        DRAFT
    }

    /** In place of a row of hidden states: the one behind the sequence's last position, which its plane keeps. */
    int CARRIED = -1;

    /**
     * Computes rows of the draft block and waits for it. A row at position p has as its token the one at p + 1 and guesses the one at p + 2.
     *
     * @param rows positions and the tokens that follow them; of planes only the hidden state kept there is
     *        read
     * @param hidden what {@code hiddenRows} counts
     * @param hiddenRows for each row, the row that its hidden state is in, or {@link #CARRIED}
     * @param logits out, F32, {@code [rows.logitRows()][vocabulary]}
     */
    void forward(StepRows rows, Hidden hidden, int[] hiddenRows, PinnedBuffer logits);
}
