package dev.ringside.cli;

import java.util.SplittableRandom;

/**
 * Random router matrices whose experts are as popular as a {@link Routing} says.
 * <p>
 * Hidden states of a synthetic model all share a component: the embedding has a mean of {@link #EMBEDDING_MEAN} times its spread in every
 * element, and what the layers add is small. A router row is a random direction, which gives a logit of normal spread, plus that shared
 * direction times the quantile at which the logit passes a common threshold for just the wanted share of tokens.
 */
final class RouterWeights {

    /** Mean of the embedding over its standard deviation; 1 makes the shared and the token's own component equally strong. */
    static final double EMBEDDING_MEAN = 1;

    /** Spread of a logit: between a flat and a one-sided choice. */
    private static final double SPREAD = 1.5;

    private final double[] quantiles;
    private final boolean even;

    RouterWeights(Routing routing, int experts, int perToken) {
        this.even = routing.even();
        double[] shares = routing.shares(experts, perToken);
        this.quantiles = new double[experts];
        for (int rank = 0; rank < experts && !even; rank++) {
            quantiles[rank] = quantile(shares[rank]);
        }
    }

    /** Rows one after another, {@code [experts][hidden]}; which expert is popular differs from layer to layer. */
    float[] layer(int hidden, SplittableRandom random) {
        int experts = quantiles.length;
        int[] rank = shuffled(experts, random);
        float[] rows = new float[experts * hidden];
        double scale = SPREAD / Math.sqrt(hidden);
        for (int expert = 0; expert < experts; expert++) {
            int from = expert * hidden;
            double sum = 0;
            double squares = 0;
            for (int i = 0; i < hidden; i++) {
                double value = random.nextGaussian();
                rows[from + i] = (float) value;
                sum += value;
                squares += value * value;
            }
            // Rows of one length that do not see the shared component: nothing but the quantile makes an expert popular.
            double mean = sum / hidden;
            double length = Math.sqrt(squares / hidden - mean * mean);
            double shared = even ? 0 : quantiles[rank[expert]] * SPREAD / (EMBEDDING_MEAN * hidden);
            for (int i = 0; i < hidden; i++) {
                rows[from + i] = (float) ((rows[from + i] - mean) / length * scale + shared);
            }
        }
        return rows;
    }

    private static int[] shuffled(int count, SplittableRandom random) {
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            int other = random.nextInt(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        return order;
    }

    /** The value below which a standard normal variable is with this probability, by bisection on the integral. */
    static double quantile(double probability) {
        double low = -8;
        double high = 8;
        for (int i = 0; i < 50; i++) {
            double middle = (low + high) / 2;
            if (cumulative(middle) < probability) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return (low + high) / 2;
    }

    /** Simpson's rule from 0. */
    private static double cumulative(double x) {
        int steps = 200;
        double width = x / steps;
        double sum = density(0) + density(x);
        for (int i = 1; i < steps; i++) {
            sum += (i % 2 == 0 ? 2 : 4) * density(i * width);
        }
        return 0.5 + sum * width / 3;
    }

    private static double density(double x) {
        return Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
    }
}
