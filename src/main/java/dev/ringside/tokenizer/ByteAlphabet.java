package dev.ringside.tokenizer;

import java.util.Arrays;

/**
 * The printable stand-ins that GPT-2 style vocabularies use for bytes: printable Latin-1 characters stand for themselves, the other 68
 * bytes, in order, for U+0100 to U+0143.
 */
final class ByteAlphabet {

    private static final short[] BYTE_OF = inverse();

    private ByteAlphabet() {}

    /** The byte that {@code character} stands for, or -1. */
    static int byteOf(char character) {
        return character < BYTE_OF.length ? BYTE_OF[character] : -1;
    }

    private static short[] inverse() {
        short[] table = new short[0x144];
        Arrays.fill(table, (short) -1);
        int next = 0x100;
        for (int value = 0; value < 256; value++) {
            table[isPrintable(value) ? value : next++] = (short) value;
        }
        return table;
    }

    private static boolean isPrintable(int value) {
        return value >= 0x21 && value <= 0x7E || value >= 0xA1 && value <= 0xAC || value >= 0xAE && value <= 0xFF;
    }
}
