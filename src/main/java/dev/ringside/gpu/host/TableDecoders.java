package dev.ringside.gpu.host;

/** Decoder of rows of IQ4_NL, whose nibbles name one of sixteen levels, for vectors that are too short to hold them all. */
final class TableDecoders {

    private TableDecoders() {}

    static void iq4nl(long source, long target, int columns) {
        long block = source;
        for (int i = 0; i < columns; i += 32, block += 18) {
            float d = RowDecoders.half(block);
            for (int e = 0; e < 16; e++) {
                int nibbles = HostMemory.getByte(block + 2 + e);
                HostMemory.setFloat(target + 4L * (i + e), NibbleLevels.UNEVEN[nibbles & 15] * d);
                HostMemory.setFloat(target + 4L * (i + 16 + e), NibbleLevels.UNEVEN[nibbles >> 4 & 15] * d);
            }
        }
    }
}
