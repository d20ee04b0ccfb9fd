package dev.ringside.gpu;

import static org.assertj.core.api.Assertions.assertThat;

/** The formulas in double precision, one element at a time. */
public final class ScalarReference {

    private ScalarReference() {}

    /** y[r][o] = w[o] . x[r]. */
    public static double[] matmul(float[] w, int outputs, int columns, double[] x, int rows) {
        double[] y = new double[rows * outputs];
        for (int r = 0; r < rows; r++) {
            for (int o = 0; o < outputs; o++) {
                double sum = 0;
                for (int i = 0; i < columns; i++) {
                    sum += (double) w[o * columns + i] * x[r * columns + i];
                }
                y[r * outputs + o] = sum;
            }
        }
        return y;
    }

    public static double[] widen(float[] values) {
        double[] wide = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            wide[i] = values[i];
        }
        return wide;
    }

    public static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    /** down * (silu(gate * x) . (up * x)). */
    public static double[] feedForward(float[] gate, float[] up, float[] down, int inputs, int width, int outputs, double[] x, int rows) {
        double[] g = matmul(gate, width, inputs, x, rows);
        double[] u = matmul(up, width, inputs, x, rows);
        for (int i = 0; i < g.length; i++) {
            g[i] = g[i] * sigmoid(g[i]) * u[i];
        }
        return matmul(down, outputs, width, g, rows);
    }

    /** Compares with a tolerance relative to a magnitude of each element's own. */
    public static void assertWithin(float[] actual, double[] expected, double[] magnitude, double tolerance, String what) {
        assertThat(actual).as(what).hasSameSizeAs(expected);
        for (int i = 0; i < expected.length; i++) {
            if (!(Math.abs(actual[i] - expected[i]) <= tolerance * magnitude[i])) {
                throw new AssertionError(what + ": element " + i + " is " + actual[i] + ", expected " + expected[i] + " within " + tolerance
                        + " of " + magnitude[i]);
            }
        }
    }

    /** Compares with a tolerance relative to the largest expected magnitude of the whole result. */
    public static void assertClose(float[] actual, double[] expected, double tolerance, String what) {
        assertThat(actual).as(what).hasSameSizeAs(expected);
        double largest = 1e-30;
        for (double value : expected) {
            largest = Math.max(largest, Math.abs(value));
        }
        for (int i = 0; i < expected.length; i++) {
            if (!(Math.abs(actual[i] - expected[i]) <= tolerance * largest)) {
                throw new AssertionError(what + ": element " + i + " is " + actual[i] + ", expected " + expected[i] + " within " + tolerance
                        + " of " + largest);
            }
        }
    }

    /** Compares bit for bit. */
    public static void assertSameBits(float[] actual, float[] expected, String what) {
        assertThat(actual).as(what).hasSameSizeAs(expected);
        for (int i = 0; i < expected.length; i++) {
            if (Float.floatToRawIntBits(actual[i]) != Float.floatToRawIntBits(expected[i])) {
                throw new AssertionError(what + ": element " + i + " is " + actual[i] + ", expected the bits of " + expected[i]);
            }
        }
    }
}
