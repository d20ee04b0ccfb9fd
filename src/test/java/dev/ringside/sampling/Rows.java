package dev.ringside.sampling;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/** Rows of logits and parameters for sampler tests. */
final class Rows {

    static final Map<Integer, Float> NO_BIAS = Map.of();

    private Rows() {}

    static MemorySegment of(float... logits) {
        MemorySegment row = Arena.ofAuto().allocate(4L * Math.max(1, logits.length), 4);
        MemorySegment.copy(logits, 0, row, JAVA_FLOAT_UNALIGNED, 0, logits.length);
        return row;
    }

    static SamplingParameters drawn(float temperature, float topP, int topK, float minP, long seed) {
        return new SamplingParameters(temperature, topP, topK, minP, 0, 0, 1, seed, NO_BIAS);
    }

    static SamplingParameters greedyWith(float presence, float frequency, float repetition, Map<Integer, Float> bias) {
        return new SamplingParameters(0, 1, 0, 0, presence, frequency, repetition, 0, bias);
    }

    static double[] softmax(float[] logits, double temperature) {
        double max = Double.NEGATIVE_INFINITY;
        for (float logit : logits) {
            max = Math.max(max, logit);
        }
        double total = 0;
        double[] p = new double[logits.length];
        for (int i = 0; i < p.length; i++) {
            p[i] = Math.exp((logits[i] - max) / temperature);
            total += p[i];
        }
        for (int i = 0; i < p.length; i++) {
            p[i] /= total;
        }
        return p;
    }

    static int[] frequencies(Sampler sampler, float[] logits, int draws) {
        MemorySegment row = of(logits);
        int[] seen = new int[logits.length];
        for (int i = 0; i < draws; i++) {
            seen[sampler.sample(row, 0, logits.length)]++;
        }
        return seen;
    }
}
