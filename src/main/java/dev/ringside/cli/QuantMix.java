package dev.ringside.cli;

import dev.ringside.gguf.GgmlType;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Which type each matrix of a file is stored in. A type's name stores all matrices in it, with the head in Q6_K where the type has fewer
 * bits, as {@code llama-quantize} does; {@code q4_k_m} and {@code mxfp4_moe} are that tool's mixes of these names. Rows that are not whole
 * blocks fall back to a type of smaller blocks, also as that tool does.
 *
 * @param text the name in options
 * @param type of most matrices
 * @param better type of matrices that get more bits
 * @param experts type of the routed experts
 */
record QuantMix(String text, GgmlType type, GgmlType better, GgmlType experts) {

    private static final String Q4_K_M = "q4_k_m";
    private static final String MXFP4_MOE = "mxfp4_moe";
    private static final double HEAD_BITS = 6.5;

    static QuantMix parse(String text) {
        String name = text.strip().toLowerCase(Locale.ROOT);
        return switch (name) {
            case Q4_K_M -> new QuantMix(name, GgmlType.Q4_K, GgmlType.Q6_K, GgmlType.Q4_K);
            case MXFP4_MOE -> new QuantMix(name, GgmlType.Q8_0, GgmlType.Q8_0, GgmlType.MXFP4);
            default -> Arrays.stream(GgmlType.values()).filter(type -> type.name().toLowerCase(Locale.ROOT).equals(name)).findFirst()
                    .map(type -> new QuantMix(name, type, type, type))
                    .orElseThrow(() -> new TypeConversionException("expected one of " + names() + ", found '" + text + "'"));
        };
    }

    static String names() {
        return Stream
                .concat(Arrays.stream(GgmlType.values()).map(type -> type.name().toLowerCase(Locale.ROOT)), Stream.of(Q4_K_M, MXFP4_MOE))
                .collect(Collectors.joining(", "));
    }

    /** Type of an ordinary matrix with rows of this length. */
    GgmlType matrix(long row) {
        return fitting(type, row);
    }

    /** Type of a projection of few rows, which costs little and matters much. */
    GgmlType small(long row) {
        return type.isQuantised() ? fitting(GgmlType.Q8_0, row) : type;
    }

    /** Type of the gate and up matrices of routed experts. */
    GgmlType expert(long row) {
        return fitting(experts, row);
    }

    /** Type of the down matrices of routed experts. */
    GgmlType expertDown(long row, int layer, int layers) {
        return fitting(moreBits(layer, layers) ? better : experts, row);
    }

    /** Type of the value projection and of the shared expert's down matrix. */
    GgmlType sensitive(long row, int layer, int layers) {
        return fitting(moreBits(layer, layers) ? better : type, row);
    }

    /** Type of the head. */
    GgmlType head(long row) {
        return fitting(8.0 * type.blockBytes() / type.blockElements() < HEAD_BITS ? GgmlType.Q6_K : type, row);
    }

    /** The first and the last eighth of the layers, and every third of those between. */
    private boolean moreBits(int layer, int layers) {
        return text.equals(Q4_K_M) && (layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2);
    }

    private static GgmlType fitting(GgmlType type, long row) {
        if (row % type.blockElements() == 0) {
            return type;
        }
        GgmlType smaller = switch (type) {
            case IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S, IQ4_XS -> GgmlType.IQ4_NL;
            case Q2_K, Q3_K, NVFP4 -> GgmlType.Q4_0;
            case Q4_K -> GgmlType.Q5_0;
            case Q5_K -> GgmlType.Q5_1;
            case Q6_K -> GgmlType.Q8_0;
            default -> GgmlType.F16;
        };
        return row % smaller.blockElements() == 0 ? smaller : GgmlType.F16;
    }

    /** For options. */
    static final class Converter implements ITypeConverter<QuantMix> {

        @Override
        public QuantMix convert(String value) {
            return parse(value);
        }
    }
}
