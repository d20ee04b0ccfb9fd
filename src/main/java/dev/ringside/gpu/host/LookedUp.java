package dev.ringside.gpu.host;

import dev.ringside.gguf.GgmlType;

/** Types whose elements are looked up in tables and become a signed byte each, with a scale for each 16. */
final class LookedUp {

    private LookedUp() {}

    /** Unpacks one row. */
    static void unpack(GgmlType type, long source, int columns, byte[] quants, float[] table) {
        switch (type) {
            case NVFP4 -> Fp4Unpacker.nvfp4(source, columns, quants, table);
            case IQ1_S -> CodebookUnpacker.iq1s(source, columns, quants, table);
            case IQ1_M -> CodebookUnpacker.iq1m(source, columns, quants, table);
            case IQ2_XXS -> CodebookUnpacker.iq2xxs(source, columns, quants, table);
            case IQ2_XS -> CodebookUnpacker.iq2xs(source, columns, quants, table);
            case IQ2_S -> CodebookUnpacker.iq2s(source, columns, quants, table);
            case IQ3_XXS -> CodebookUnpacker.iq3xxs(source, columns, quants, table);
            case IQ3_S -> CodebookUnpacker.iq3s(source, columns, quants, table);
            default -> throw new IllegalArgumentException("Elements of " + type + " are not looked up");
        }
    }

    /** Unpacked elements as floats, for vectors of any length. */
    static void decode(byte[] quants, int columns, float[] table, float[] row) {
        for (int part = 0; part < columns / 16; part++) {
            float scale = table[part];
            for (int i = 16 * part; i < 16 * part + 16; i++) {
                row[i] = quants[i] * scale;
            }
        }
    }
}
