package dev.ringside.sampling;

import java.lang.foreign.MemorySegment;

/**
 * Natural logarithms of the model's own probabilities: the softmax of a row of logits at temperature 1, before bias, penalties and
 * constraints, over the tokens that can be sampled. Belongs to the thread of its workspace.
 */
public final class TokenProbabilities {

    private final SamplerWorkspace workspace;
    private float[] row;
    private float max;
    private double logOfTotal;

    public TokenProbabilities(SamplerWorkspace workspace) {
        this.workspace = workspace;
        this.row = workspace.logits;
    }

    /**
     * Looks at a row; the other methods speak of it until the workspace is used for something else.
     *
     * @param logits F32 in native order, {@code [vocabulary]} from {@code offsetBytes}; not changed
     * @param top how many of the most likely tokens will be asked for
     */
    public void read(MemorySegment logits, long offsetBytes, int vocabulary, int top) {
        row = workspace.copy(logits, offsetBytes, vocabulary);
        max = LogitScan.max(row, vocabulary);
        double total = LogitScan.weights(row, max, 1, Float.NEGATIVE_INFINITY, workspace.weights, workspace.blockSums, workspace.lanes);
        logOfTotal = Math.log(total);
        workspace.candidates.select(row, vocabulary, top);
    }

    /** The logarithm of a token's probability; negative infinity where the model rules it out. */
    public float logarithm(int token) {
        return (float) ((double) row[token] - max - logOfTotal);
    }

    /** How many of the most likely tokens there are: what was asked for, or the vocabulary. */
    public int top() {
        return workspace.candidates.size();
    }

    /** The token of a rank, most likely first; the lower id of equally likely ones. */
    public int topToken(int rank) {
        return workspace.candidates.id(rank);
    }
}
