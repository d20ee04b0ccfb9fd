package dev.ringside.gpu.host;

import dev.ringside.gguf.BlockDecoder;
import dev.ringside.gguf.GgmlType;
import java.lang.foreign.MemorySegment;

/**
 * Decodes stored rows of any type to floats. One path for one row and for many: the same floats come out, whoever asks.
 *
 * <p>With vectors of sixteen lanes all types have vector decoders; with shorter ones Q2_K, Q3_K, IQ4_XS and MXFP4 go through the format's own
 * {@link BlockDecoder}.
 */
final class WeightRows {

    private static final BlockDecoder[] DECODERS = decoders();

    private WeightRows() {}

    private static BlockDecoder[] decoders() {
        GgmlType[] types = GgmlType.values();
        BlockDecoder[] decoders = new BlockDecoder[types.length];
        for (GgmlType type : types) {
            decoders[type.ordinal()] = BlockDecoder.of(type);
        }
        return decoders;
    }

    /**
     * Decodes one row.
     *
     * @param work memory of the calling worker, made for rows of at least {@code columns}
     */
    static void decode(GgmlType type, long source, int columns, long target, WorkArea work) {
        if (Lanes.COUNT != 16 || !wide(type, source, columns, target, work)) {
            narrow(type, source, columns, target, work);
        }
    }

    /** Decoders for sixteen lanes; false when the type has none of its own. */
    private static boolean wide(GgmlType type, long source, int columns, long target, WorkArea work) {
        float[] table = work.scales();
        switch (type) {
            case Q4_0 -> {
                ScaleTables.halves(source, 18, columns / 32, table);
                WideDecoders.levels(source + 2, 18, 0, NibbleLevels.CENTRED, target, columns, table);
            }
            case IQ4_NL -> {
                ScaleTables.halves(source, 18, columns / 32, table);
                WideDecoders.levels(source + 2, 18, 0, NibbleLevels.UNEVEN, target, columns, table);
            }
            case IQ4_XS -> {
                ScaleTables.iq4xs(source, columns / 256, table);
                WideDecoders.levels(source + 8, 16, 8, NibbleLevels.UNEVEN, target, columns, table);
            }
            case MXFP4 -> {
                ScaleTables.mxfp4(source, columns / 32, table);
                WideDecoders.levels(source + 1, 17, 0, NibbleLevels.FP4, target, columns, table);
            }
            case NVFP4, IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S -> {
                LookedUp.unpack(type, source, columns, work.quants(), table);
                WideDecoders.q6k(work.quants(), target, columns, table);
            }
            case Q2_K -> {
                ScaleTables.q2k(source, columns / 256, table);
                QuantUnpacker.q2k(source, columns, work.quants());
                WideDecoders.q2k(work.quants(), target, columns, table);
            }
            case Q3_K -> {
                ScaleTables.q3k(source, columns / 256, table);
                QuantUnpacker.q3k(source, columns, work.quants());
                WideDecoders.q6k(work.quants(), target, columns, table);
            }
            case Q4_K -> {
                ScaleTables.pairs(source, 144, columns / 256, table);
                WideDecoders.q4k(source, target, columns, table);
            }
            case Q5_K -> {
                ScaleTables.pairs(source, 176, columns / 256, table);
                QuantUnpacker.q5k(source, columns, work.quants());
                WideDecoders.q5k(work.quants(), target, columns, table);
            }
            case Q6_K -> {
                ScaleTables.q6k(source, columns / 256, table);
                QuantUnpacker.q6k(source, columns, work.quants());
                WideDecoders.q6k(work.quants(), target, columns, table);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static void narrow(GgmlType type, long source, int columns, long target, WorkArea work) {
        switch (type) {
            case F32 -> HostMemory.copy(source, target, 4L * columns);
            case F16 -> HalfFloats.toFloats(source, columns, target);
            case BF16 -> RowDecoders.bf16(source, target, columns);
            case Q8_0 -> RowDecoders.q8x0(source, target, columns);
            case Q4_0 -> RowDecoders.q4x0(source, target, columns);
            case Q4_1 -> RowDecoders.q4x1(source, target, columns);
            case Q5_0 -> RowDecoders.q5x0(source, target, columns);
            case Q5_1 -> RowDecoders.q5x1(source, target, columns);
            case Q4_K -> KQuantDecoders.q4k(source, target, columns, work.packed(), work.table());
            case Q5_K -> KQuantDecoders.q5k(source, target, columns, work.packed(), work.table());
            case Q6_K -> KQuantDecoders.q6k(source, target, columns);
            case NVFP4, IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S -> {
                LookedUp.unpack(type, source, columns, work.quants(), work.scales());
                LookedUp.decode(work.quants(), columns, work.scales(), work.row());
                MemorySegment.copy(work.row(), 0, HostMemory.ALL, HostMemory.FLOAT, target, columns);
            }
            case IQ4_NL -> TableDecoders.iq4nl(source, target, columns);
            default -> plain(type, source, columns, target, work);
        }
    }

    /**
     * Decodes one row with the format's own decoder: for rows that are looked up one by one. A token needs but one of the embedding, too
     * few for vector code to be compiled soon, and until then each of its vectors is an object.
     */
    static void plain(GgmlType type, long source, int columns, long target, WorkArea work) {
        float[] row = work.row();
        DECODERS[type.ordinal()].decode(HostMemory.ALL, source, row, 0, columns);
        MemorySegment.copy(row, 0, HostMemory.ALL, HostMemory.FLOAT, target, columns);
    }
}
