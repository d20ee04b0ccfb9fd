package dev.ringside.gpu;

import java.util.Random;

/** The plain formulas, in double precision, one element after the other. */
public final class Formulas {

    private Formulas() {}

    public static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    public static double silu(double x) {
        return x / (1 + Math.exp(-x));
    }

    public static double softplus(double x) {
        return x > 20 ? x : Math.log1p(Math.exp(x));
    }

    /** {@code x[from ...]} normed, weights from {@code weightFrom} on. */
    public static double[] rms(double[] x, int from, int count, float[] weight, int weightFrom, double epsilon) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += x[from + i] * x[from + i];
        }
        double root = Math.sqrt(sum / count + epsilon);
        double[] y = new double[count];
        for (int i = 0; i < count; i++) {
            y[i] = x[from + i] / root * weight[weightFrom + i];
        }
        return y;
    }

    public static float[] random(Random random, int count, double scale) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) (random.nextGaussian() * scale);
        }
        return values;
    }

    /** Weights around 1. */
    public static float[] norm(Random random, int count) {
        float[] values = random(random, count, 0.3);
        for (int i = 0; i < count; i++) {
            values[i] += 1;
        }
        return values;
    }

    public static double[] widen(float[] x) {
        double[] y = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            y[i] = x[i];
        }
        return y;
    }

    /** Rotates the first {@code 2 * frequencies.length} elements, pairs half of that apart. */
    public static void rope(double[] x, int position, float[] frequencies) {
        int half = frequencies.length;
        for (int i = 0; i < half; i++) {
            double angle = position * (double) frequencies[i];
            double a = x[i];
            double b = x[i + half];
            x[i] = a * Math.cos(angle) - b * Math.sin(angle);
            x[i + half] = a * Math.sin(angle) + b * Math.cos(angle);
        }
    }

    public static float[] frequencies(int rotary, double base) {
        float[] frequencies = new float[rotary / 2];
        for (int i = 0; i < frequencies.length; i++) {
            frequencies[i] = (float) Math.pow(base, -2.0 * i / rotary);
        }
        return frequencies;
    }
}
