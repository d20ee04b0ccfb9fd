package dev.ringside.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * Parses the header of one file (GGUF version 2 or 3, little-endian): magic, version, counts, key-value pairs, tensor list. Tensor data
 * is only checked to be there.
 */
final class GgufParser {

    private static final int MAGIC = 0x46554747; // "GGUF", first byte lowest
    private static final int HEADER_BYTES = 24;
    /** Length of a key, its shortest text, the value type and the shortest value. */
    private static final long MIN_PAIR_BYTES = 8 + 1 + 4 + 1;

    private GgufParser() {}

    /**
     * @param file named in errors; not opened
     * @param bytes the whole file
     * @param shard index of this part, carried into its tensors
     */
    static GgufShard parse(Path file, MemorySegment bytes, int shard) {
        GgufCursor cursor = new GgufCursor(file, bytes);
        if (bytes.byteSize() < HEADER_BYTES) {
            throw cursor.fault(0,
                    "the file is too short for a GGUF header: " + bytes.byteSize() + " bytes, expected at least " + HEADER_BYTES
                            + GgufCursor.DAMAGED);
        }
        int magic = cursor.readInt("the magic");
        if (magic != MAGIC) {
            throw cursor.fault(0, "wrong magic: expected 'GGUF' (47 47 55 46), found "
                    + HexFormat.ofDelimiter(" ").formatHex(bytes.asSlice(0, 4).toArray(ValueLayout.JAVA_BYTE))
                    + "; this is not a GGUF file");
        }
        int version = version(cursor);
        long tensorCount = cursor.readLong("the tensor count");
        long pairCount = cursor.readLong("the key-value count");
        requireCount(cursor, 8, "tensor count", tensorCount, TensorListReader.MIN_INFO_BYTES);
        requireCount(cursor, 16, "key-value count", pairCount, MIN_PAIR_BYTES);
        GgufMetadata metadata = MetadataReader.read(cursor, pairCount);
        // Again, now that the metadata is behind us: the list is allocated from this count.
        requireCount(cursor, 8, "tensor count", tensorCount, TensorListReader.MIN_INFO_BYTES);
        return new GgufShard(file, bytes, version, metadata, TensorListReader.read(cursor, metadata, tensorCount, bytes.byteSize(), shard));
    }

    private static int version(GgufCursor cursor) {
        int version = cursor.readInt("the version");
        if (version == 2 || version == 3) {
            return version;
        }
        if (version != 0 && (version & 0xFFFF) == 0) {
            throw cursor.fault(4,
                    "the file is big-endian, expected little-endian; convert the model again on or for a little-endian machine");
        }
        throw cursor.fault(4, "version " + Integer.toUnsignedString(version) + " is not supported, expected 2 or 3"
                + (version == 1 ? "; convert the model again with a current converter" : ""));
    }

    private static void requireCount(GgufCursor cursor, long offset, String what, long count, long minimumBytes) {
        if (count < 0 || count > cursor.remaining() / minimumBytes || count > Integer.MAX_VALUE - 8) {
            throw cursor.fault(offset, what + " " + Long.toUnsignedString(count) + " is impossible: " + cursor.remaining()
                    + " bytes are left before the end of file, enough for " + cursor.remaining() / minimumBytes + GgufCursor.DAMAGED);
        }
    }
}
