package dev.ringside.sampling;

import java.util.Arrays;

/** Scratch memory for drawing a token: 8 bytes per token of the vocabulary. Shared by all samplers of one thread. */
public final class SamplerWorkspace {

    private final int vocabulary;
    final float[] logits;
    final float[] weights;
    final double[] blockSums;
    final float[] lanes = new float[LogitScan.SPECIES.length()];
    final Candidates candidates = new Candidates();

    public SamplerWorkspace(int vocabulary) {
        if (vocabulary < 1) {
            throw new IllegalArgumentException("A vocabulary has at least one token, got " + vocabulary);
        }
        this.vocabulary = vocabulary;
        int step = LogitScan.SPECIES.length();
        int padded = (vocabulary + step - 1) / step * step;
        this.logits = new float[padded];
        this.weights = new float[padded];
        this.blockSums = new double[(padded + LogitScan.BLOCK - 1) / LogitScan.BLOCK];
        Arrays.fill(logits, Float.NEGATIVE_INFINITY);
    }

    /** Tokens that can be drawn. */
    public int vocabulary() {
        return vocabulary;
    }
}
