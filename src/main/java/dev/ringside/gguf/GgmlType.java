package dev.ringside.gguf;

import org.jspecify.annotations.Nullable;

/**
 * Storage type of a tensor: its id in the file, and the elements and bytes of one block. Rows always hold whole blocks. The layout of
 * each block is documented at its decoder ({@link BlockDecoder}).
 */
public enum GgmlType {
    F32(0, 1, 4),
    F16(1, 1, 2),
    Q4_0(2, 32, 18),
    Q4_1(3, 32, 20),
    Q5_0(6, 32, 22),
    Q5_1(7, 32, 24),
    Q8_0(8, 32, 34),
    Q2_K(10, 256, 84),
    Q3_K(11, 256, 110),
    Q4_K(12, 256, 144),
    Q5_K(13, 256, 176),
    Q6_K(14, 256, 210),
    IQ2_XXS(16, 256, 66),
    IQ2_XS(17, 256, 74),
    IQ3_XXS(18, 256, 98),
    IQ1_S(19, 256, 50),
    IQ4_NL(20, 32, 18),
    IQ3_S(21, 256, 110),
    IQ2_S(22, 256, 82),
    IQ4_XS(23, 256, 136),
    IQ1_M(29, 256, 56),
    BF16(30, 1, 2),
    MXFP4(39, 32, 17),
    NVFP4(40, 64, 36);

    private static final GgmlType[] VALUES = values();

    private final int id;
    private final int blockElements;
    private final int blockBytes;

    GgmlType(int id, int blockElements, int blockBytes) {
        this.id = id;
        this.blockElements = blockElements;
        this.blockBytes = blockBytes;
    }

    /** The type with this id in GGUF files, or null when this program does not know it. */
    public static @Nullable GgmlType find(int id) {
        for (GgmlType type : VALUES) {
            if (type.id == id) {
                return type;
            }
        }
        return null;
    }

    /** Id in GGUF files. */
    public int id() {
        return id;
    }

    /** Elements of one block; 1 for the plain floating-point types. */
    public int blockElements() {
        return blockElements;
    }

    /** Bytes of one block. */
    public int blockBytes() {
        return blockBytes;
    }

    /** Whether elements share a block with a common scale. */
    public boolean isQuantised() {
        return blockElements > 1;
    }

    /**
     * Bytes of one row.
     *
     * @param elements row length, a multiple of {@link #blockElements()}
     * @throws IllegalArgumentException when the row is negative or not whole blocks
     * @throws ArithmeticException when the size does not fit a long
     */
    public long rowBytes(long elements) {
        if (elements < 0 || elements % blockElements != 0) {
            throw new IllegalArgumentException(this + " needs rows of whole blocks of " + blockElements + " elements, found " + elements);
        }
        return Math.multiplyExact(elements / blockElements, (long) blockBytes);
    }

    /** Bytes of a tensor with this many elements; same conditions and errors as {@link #rowBytes(long)}. */
    public long byteSize(long elements) {
        return rowBytes(elements);
    }
}
