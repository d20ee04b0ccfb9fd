package dev.ringside.gpu.host;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The tables of the IQ1, IQ2 and IQ3 formats, each entry as one word of signed bytes, and the signs that go with them. */
final class Codebooks {

    /** Eight magnitudes an entry. */
    static final long[] IQ2_XXS = eights(0, 256);
    static final long[] IQ2_XS = eights(2048, 512);
    static final long[] IQ2_S = eights(6144, 1024);
    /** Four magnitudes an entry. */
    static final int[] IQ3_XXS = fours(14336, 256);
    static final int[] IQ3_S = fours(15360, 512);
    /** Eight times the value and its shift: the shift is 1/8 in the first half of the table, -1/8 in the second. */
    static final long[] IQ1 = shifted(eights(17408, 2048));

    /** For each byte of sign bits eight bytes, -1 where the bit is set. */
    static final long[] SIGNS = signs(256);
    /** For seven sign bits; the eighth makes the number of minus signs even. */
    static final long[] EVEN_SIGNS = signs(128);

    private static final String RESOURCE = "/dev/ringside/gguf/iq-codebooks.bin";
    private static final long ONES = 0x01010101_01010101L;

    private Codebooks() {}

    /** Changes the signs of eight bytes, none of them 0, where a mask of {@link #SIGNS} says so. */
    static long negate(long values, long mask) {
        // The complement plus one, in each byte; as no value is 0, nothing is carried into the next.
        return (values ^ mask) + (mask & ONES);
    }

    private static long[] eights(int offset, int entries) {
        long[] words = new long[entries];
        ByteBuffer.wrap(bytes(offset, 8 * entries)).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(words);
        return words;
    }

    private static int[] fours(int offset, int entries) {
        int[] words = new int[entries];
        ByteBuffer.wrap(bytes(offset, 4 * entries)).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(words);
        return words;
    }

    private static byte[] bytes(int offset, int count) {
        try (InputStream stream = Codebooks.class.getResourceAsStream(RESOURCE)) {
            if (stream == null) {
                throw new IllegalStateException("The codebooks " + RESOURCE + " are missing from this build");
            }
            DataInputStream data = new DataInputStream(stream);
            data.skipNBytes(offset);
            byte[] bytes = new byte[count];
            data.readFully(bytes);
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException("The codebooks " + RESOURCE + " cannot be read", e);
        }
    }

    private static long[] shifted(long[] values) {
        long[] both = new long[2 * values.length];
        for (int i = 0; i < values.length; i++) {
            for (int shift = 0; shift < 64; shift += 8) {
                int eight = 8 * (byte) (values[i] >>> shift);
                both[i] |= (eight + 1 & 255L) << shift;
                both[values.length + i] |= (eight - 1 & 255L) << shift;
            }
        }
        return both;
    }

    private static long[] signs(int patterns) {
        long[] masks = new long[patterns];
        for (int pattern = 0; pattern < patterns; pattern++) {
            int bits = patterns == 128 ? pattern | (Integer.bitCount(pattern) & 1) << 7 : pattern;
            for (int i = 0; i < 8; i++) {
                masks[pattern] |= (bits >>> i & 1) * 255L << 8 * i;
            }
        }
        return masks;
    }
}
