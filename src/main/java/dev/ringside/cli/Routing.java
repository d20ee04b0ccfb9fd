package dev.ringside.cli;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * How popular the experts of a synthetic layer are.
 *
 * @param exponent of Zipf's law: the r-th most popular expert is asked for in proportion to {@code r^-exponent}; 0 is an even spread
 */
record Routing(double exponent) {

    /** No expert is asked for more often than by so many of all tokens, so that the router keeps a choice. */
    private static final double MOST = 0.95;
    private static final int ROUNDS = 64;

    static Routing parse(String text) {
        String value = text.strip().toLowerCase(Locale.ROOT);
        if (value.equals("uniform")) {
            return new Routing(0);
        }
        if (value.startsWith("zipf:")) {
            try {
                double exponent = Double.parseDouble(value.substring("zipf:".length()));
                if (exponent > 0 && exponent <= 4) {
                    return new Routing(exponent);
                }
            } catch (NumberFormatException e) {
                throw refused(text);
            }
        }
        throw refused(text);
    }

    private static TypeConversionException refused(String text) {
        return new TypeConversionException(
                "expected uniform, or zipf: and an exponent above 0 and up to 4 such as zipf:1.0, found '" + text + "'");
    }

    boolean even() {
        return exponent == 0;
    }

    /**
     * Share of tokens that ask for each expert, most popular first; the shares sum to {@code perToken}. What a capped expert cannot take
     * goes to the others in proportion.
     */
    double[] shares(int experts, int perToken) {
        double most = Math.max(MOST, (double) perToken / experts);
        double[] shares = new double[experts];
        double sum = 0;
        for (int rank = 0; rank < experts; rank++) {
            sum += Math.pow(rank + 1.0, -exponent);
        }
        // Grows from round to round, so that an expert once capped stays so.
        double factor = perToken / sum;
        for (int round = 0; round < ROUNDS; round++) {
            double capped = 0;
            double free = 0;
            for (int rank = 0; rank < experts; rank++) {
                double weight = Math.pow(rank + 1.0, -exponent);
                shares[rank] = Math.min(most, factor * weight);
                capped += shares[rank] == most ? most : 0;
                free += shares[rank] == most ? 0 : weight;
            }
            if (free == 0) {
                break;
            }
            factor = (perToken - capped) / free;
        }
        return shares;
    }

    @Override
    public String toString() {
        return even() ? "uniform" : "zipf:" + exponent;
    }

    /** For options. */
    static final class Converter implements ITypeConverter<Routing> {

        @Override
        public Routing convert(String value) {
            return parse(value);
        }
    }
}
