package dev.ringside.sampling;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;
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

    /** A row of logits padded with negative infinity; valid until the next call. */
    float[] copy(MemorySegment row, long offsetBytes, int count) {
        requireRow(count);
        MemorySegment.copy(row, JAVA_FLOAT_UNALIGNED, offsetBytes, logits, 0, count);
        Arrays.fill(logits, count, logits.length, Float.NEGATIVE_INFINITY);
        return logits;
    }

    void requireRow(int count) {
        if (count < 1 || count > vocabulary) {
            throw new IllegalArgumentException("The sampler was made for a vocabulary of " + vocabulary + ", got a row of " + count);
        }
    }

    /** Tokens that can be drawn. */
    public int vocabulary() {
        return vocabulary;
    }
}
