package dev.ringside.gpu.host;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Looks the elements of rows of the IQ1, IQ2 and IQ3 types and of NVFP4 up, eight at a time: a signed byte for each element, and a scale for
 * each 16. Value and scale multiply to the very float that {@link dev.ringside.gguf.BlockDecoder} gives, since products of a half and of so
 * few bits are exact.
 */
final class CodebookUnpacker {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);

    private CodebookUnpacker() {}

    static void iq2xxs(long source, int columns, byte[] quants, float[] table) {
        for (int group = 0; group < columns / 32; group++) {
            long block = HostMemory.known(source + 66L * (group >>> 3));
            long packed = HostMemory.getLong(block + 2 + 8L * (group & 7));
            int word = (int) (packed >>> 32);
            float scale = RowDecoders.half(block) * (0.5f + (word >>> 28)) * 0.25f;
            table[2 * group] = scale;
            table[2 * group + 1] = scale;
            for (int i = 0; i < 4; i++) {
                long values = Codebooks.IQ2_XXS[(int) (packed >>> 8 * i) & 255];
                LONGS.set(quants, 32 * group + 8 * i, Codebooks.negate(values, Codebooks.EVEN_SIGNS[word >>> 7 * i & 127]));
            }
        }
    }

    static void iq2xs(long source, int columns, byte[] quants, float[] table) {
        for (int group = 0; group < columns / 32; group++) {
            long block = HostMemory.known(source + 74L * (group >>> 3));
            long packed = HostMemory.getLong(block + 2 + 8L * (group & 7));
            scales(RowDecoders.half(block), HostMemory.getByte(block + 66 + (group & 7)), table, 2 * group);
            for (int i = 0; i < 4; i++) {
                int entry = (int) (packed >>> 16 * i);
                LONGS.set(quants, 32 * group + 8 * i,
                        Codebooks.negate(Codebooks.IQ2_XS[entry & 511], Codebooks.EVEN_SIGNS[entry >>> 9 & 127]));
            }
        }
    }

    static void iq2s(long source, int columns, byte[] quants, float[] table) {
        for (int group = 0; group < columns / 32; group++) {
            long block = HostMemory.known(source + 82L * (group >>> 3));
            int low = HostMemory.getInt(block + 2 + 4L * (group & 7));
            int signs = HostMemory.getInt(block + 34 + 4L * (group & 7));
            int high = HostMemory.getByte(block + 66 + (group & 7));
            scales(RowDecoders.half(block), HostMemory.getByte(block + 74 + (group & 7)), table, 2 * group);
            for (int i = 0; i < 4; i++) {
                int entry = low >>> 8 * i & 255 | (high >>> 2 * i & 3) << 8;
                LONGS.set(quants, 32 * group + 8 * i, Codebooks.negate(Codebooks.IQ2_S[entry], Codebooks.SIGNS[signs >>> 8 * i & 255]));
            }
        }
    }

    /** Scales of two times 16 elements in the nibbles of a byte. */
    private static void scales(float d, int nibbles, float[] table, int at) {
        table[at] = d * (0.5f + (nibbles & 15)) * 0.25f;
        table[at + 1] = d * (0.5f + (nibbles >>> 4 & 15)) * 0.25f;
    }

    static void iq3xxs(long source, int columns, byte[] quants, float[] table) {
        for (int group = 0; group < columns / 32; group++) {
            long block = HostMemory.known(source + 98L * (group >>> 3));
            long entries = HostMemory.getLong(block + 2 + 8L * (group & 7));
            int word = HostMemory.getInt(block + 66 + 4L * (group & 7));
            float scale = RowDecoders.half(block) * (0.5f + (word >>> 28)) * 0.5f;
            table[2 * group] = scale;
            table[2 * group + 1] = scale;
            for (int i = 0; i < 4; i++) {
                int pair = (int) (entries >>> 16 * i);
                long values = Codebooks.IQ3_XXS[pair & 255] | (long) Codebooks.IQ3_XXS[pair >>> 8 & 255] << 32;
                LONGS.set(quants, 32 * group + 8 * i, Codebooks.negate(values, Codebooks.EVEN_SIGNS[word >>> 7 * i & 127]));
            }
        }
    }

    static void iq3s(long source, int columns, byte[] quants, float[] table) {
        for (int group = 0; group < columns / 32; group++) {
            long block = HostMemory.known(source + 110L * (group >>> 3));
            long low = HostMemory.getLong(block + 2 + 8L * (group & 7));
            int high = HostMemory.getByte(block + 66 + (group & 7));
            int signs = HostMemory.getInt(block + 74 + 4L * (group & 7));
            int nibbles = HostMemory.getByte(block + 106 + (group >>> 1 & 3));
            float scale = RowDecoders.half(block) * (1 + 2 * (nibbles >>> 4 * (group & 1) & 15));
            table[2 * group] = scale;
            table[2 * group + 1] = scale;
            for (int i = 0; i < 4; i++) {
                int pair = (int) (low >>> 16 * i);
                int first = pair & 255 | (high >>> 2 * i & 1) << 8;
                int second = pair >>> 8 & 255 | (high >>> 2 * i + 1 & 1) << 8;
                long values = Codebooks.IQ3_S[first] | (long) Codebooks.IQ3_S[second] << 32;
                LONGS.set(quants, 32 * group + 8 * i, Codebooks.negate(values, Codebooks.SIGNS[signs >>> 8 * i & 255]));
            }
        }
    }

    static void iq1s(long source, int columns, byte[] quants, float[] table) {
        for (int group = 0; group < columns / 32; group++) {
            long block = HostMemory.known(source + 50L * (group >>> 3));
            int low = HostMemory.getInt(block + 2 + 4L * (group & 7));
            int word = HostMemory.getShort(block + 34 + 2L * (group & 7));
            int negative = (word >>> 15 & 1) << 11;
            float scale = RowDecoders.half(block) * (2 * (word >>> 12 & 7) + 1) * 0.125f;
            table[2 * group] = scale;
            table[2 * group + 1] = scale;
            for (int i = 0; i < 4; i++) {
                LONGS.set(quants, 32 * group + 8 * i, Codebooks.IQ1[low >>> 8 * i & 255 | (word >>> 3 * i & 7) << 8 | negative]);
            }
        }
    }

    static void iq1m(long source, int columns, byte[] quants, float[] table) {
        for (int group = 0; group < columns / 32; group++) {
            long block = HostMemory.known(source + 56L * (group >>> 3));
            int low = HostMemory.getInt(block + 4L * (group & 7));
            int high = HostMemory.getShort(block + 32 + 2L * (group & 7));
            long words = HostMemory.getLong(block + 48);
            float d = Float.float16ToFloat((short) (words >>> 12 & 15 | words >>> 24 & 0xF0 | words >>> 36 & 0xF00 | words >>> 48 & 0xF000))
                    * 0.125f;
            int scales = (int) (words >>> 16 * (group >>> 1 & 3)) >>> 6 * (group & 1);
            table[2 * group] = d * (2 * (scales & 7) + 1);
            table[2 * group + 1] = d * (2 * (scales >>> 3 & 7) + 1);
            for (int i = 0; i < 4; i++) {
                int bits = high >>> 4 * i;
                LONGS.set(quants, 32 * group + 8 * i, Codebooks.IQ1[low >>> 8 * i & 255 | (bits & 7) << 8 | (bits & 8) << 8]);
            }
        }
    }
}
