package dev.ringside.sampling.grammar;

/** Ranges of code points as sequences of byte ranges (RFC 3629). */
final class Utf8 {

    private static final int[] LAST_OF_LENGTH = {0x7F, 0x7FF, 0xFFFF, Character.MAX_CODE_POINT};

    private Utf8() {}

    /** Takes sequences of {@code length} byte ranges. */
    interface Sink {

        void sequence(int[] low, int[] high, int length);
    }

    /** Cuts a range without surrogates into sequences of byte ranges that fit exactly its characters. */
    static void split(int low, int high, Sink sink) {
        int from = low;
        for (int length = 1; length <= 4 && from <= high; length++) {
            int last = Math.min(high, LAST_OF_LENGTH[length - 1]);
            if (from <= last) {
                splitEqualLength(from, last, length, sink);
                from = last + 1;
            }
        }
    }

    /** At most three levels deep: one per continuation byte. */
    private static void splitEqualLength(int low, int high, int length, Sink sink) {
        for (int i = 1; i < length; i++) {
            int mask = (1 << 6 * i) - 1;
            if ((low & ~mask) != (high & ~mask)) {
                if ((low & mask) != 0) {
                    splitEqualLength(low, low | mask, length, sink);
                    splitEqualLength((low | mask) + 1, high, length, sink);
                    return;
                }
                if ((high & mask) != mask) {
                    splitEqualLength(low, (high & ~mask) - 1, length, sink);
                    splitEqualLength(high & ~mask, high, length, sink);
                    return;
                }
            }
        }
        sink.sequence(encode(low, length), encode(high, length), length);
    }

    private static int[] encode(int codePoint, int length) {
        if (length == 1) {
            return new int[] {codePoint};
        }
        int[] bytes = new int[length];
        int rest = codePoint;
        for (int i = length - 1; i > 0; i--) {
            bytes[i] = 0x80 | rest & 0x3F;
            rest >>= 6;
        }
        bytes[0] = (0xF00 >> length & 0xFF) | rest;
        return bytes;
    }
}
