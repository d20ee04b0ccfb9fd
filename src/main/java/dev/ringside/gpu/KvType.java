package dev.ringside.gpu;

/** How attention keys and values are stored. */
public enum KvType {
    /** IEEE half: the default. */
    F16(2),
    /** IEEE single: twice the memory, no rounding. */
    F32(4),
    /** Signed bytes with an F16 scale for each {@value #GROUP} elements of a head: half the memory, some rounding. */
    Q8(1);

    /** Elements of a head that share a scale; the last group of a head may be shorter. */
    public static final int GROUP = 32;
    private static final int SCALE_BYTES = 2;

    private final int bytes;

    KvType(int bytes) {
        this.bytes = bytes;
    }

    /** Scales of one head, 0 where there are none. */
    public int scales(int headSize) {
        return this == Q8 ? Math.ceilDiv(headSize, GROUP) : 0;
    }

    /** Bytes of the scales of one row of keys or values. */
    public long scaleRowBytes(int kvHeads, int headSize) {
        return (long) SCALE_BYTES * kvHeads * scales(headSize);
    }

    /** Bytes of the keys (or values) of a layer in a page: elements, and behind all of them the scales. */
    public long pageBytes(int pageTokens, int kvHeads, int headSize) {
        return pageTokens * ((long) bytes * kvHeads * headSize + scaleRowBytes(kvHeads, headSize));
    }

    /** Bytes of one element, scales not counted. */
    public int bytes() {
        return bytes;
    }
}
