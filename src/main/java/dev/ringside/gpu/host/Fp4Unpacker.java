package dev.ringside.gpu.host;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorSpecies;

/** Unpacks rows of NVFP4: a signed byte for each element, its value doubled, and a scale for each 16. */
final class Fp4Unpacker {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_128;
    private static final ByteVector VALUES = ByteVector.fromArray(BYTES,
            new byte[] {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12},
            0);
    private static final long LOW = 0x0F0F0F0F_0F0F0F0FL;
    private static final float[] HALVED_SCALES = halvedScales();

    private Fp4Unpacker() {}

    /** Halves of the unsigned E4M3 numbers, as values are doubled; what would be NaN is 0. */
    private static float[] halvedScales() {
        float[] scales = new float[256];
        for (int code = 1; code < 256; code++) {
            int exponent = code >>> 3 & 15;
            int fraction = code & 7;
            scales[code] = 0.5f * (exponent == 0 ? Math.scalb((float) fraction, -9) : Math.scalb(1 + fraction / 8f, exponent - 7));
        }
        scales[0x7F] = 0;
        return scales;
    }

    static void nvfp4(long source, int columns, byte[] quants, float[] table) {
        for (int part = 0; part < columns / 16; part++) {
            long block = HostMemory.known(source + 36L * (part >>> 2));
            table[part] = HALVED_SCALES[HostMemory.getByte(block + (part & 3)) & 255];
            long nibbles = HostMemory.getLong(block + 4 + 8L * (part & 3));
            LONGS.set(quants, 16 * part, nibbles & LOW);
            LONGS.set(quants, 16 * part + 8, nibbles >>> 4 & LOW);
        }
        values(columns, quants);
    }

    private static void values(int columns, byte[] quants) {
        for (int i = 0; i < columns; i += 16) {
            ByteVector.fromArray(BYTES, quants, i).selectFrom(VALUES).intoArray(quants, i);
        }
    }
}
