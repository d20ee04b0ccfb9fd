package dev.ringside.gguf;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads the tensor list of a file and checks that the data of each tensor is in the file. */
final class TensorListReader {

    /** Length of the name, its shortest text, rank, one dimension, type, offset. */
    static final long MIN_INFO_BYTES = 8 + 1 + 4 + 8 + 4 + 8;

    private static final int MAX_DIMENSIONS = 4;
    private static final int MAX_NAME_BYTES = 63;
    private static final long DEFAULT_ALIGNMENT = 32;

    private final GgufCursor cursor;
    private final long alignment;
    private final int shard;

    private TensorListReader(GgufCursor cursor, long alignment, int shard) {
        this.cursor = cursor;
        this.alignment = alignment;
        this.shard = shard;
    }

    static List<TensorInfo> read(GgufCursor cursor, GgufMetadata metadata, long count, long fileBytes, int shard) {
        TensorListReader reader = new TensorListReader(cursor, alignment(metadata), shard);
        int size = Math.toIntExact(count);
        List<TensorInfo> relative = new ArrayList<>(size);
        long[] places = new long[size];
        Set<String> names = HashSet.newHashSet(size);
        for (int i = 0; i < size; i++) {
            places[i] = cursor.position();
            TensorInfo tensor = reader.readInfo(i);
            if (!names.add(tensor.name())) {
                throw cursor.fault(places[i], named(tensor.name()), "duplicate tensor, expected each name once");
            }
            relative.add(tensor);
        }
        // At most 2^62 + 2^31: a file is shorter than that.
        long dataStart = (cursor.position() + reader.alignment - 1) & -reader.alignment;
        List<TensorInfo> tensors = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            tensors.add(reader.place(relative.get(i), places[i], dataStart, fileBytes));
        }
        TensorOverlap.refuse(cursor.file(), tensors);
        return List.copyOf(tensors);
    }

    private static long alignment(GgufMetadata metadata) {
        long alignment = metadata.getLong("general.alignment", DEFAULT_ALIGNMENT);
        if (alignment <= 0 || alignment > 1L << 31 || Long.bitCount(alignment) != 1) {
            throw new GgufException(metadata.file(), "key 'general.alignment'", "expected a power of two up to 2^31, found " + alignment);
        }
        return alignment;
    }

    /** One entry of the list, its offset still relative to the data section. */
    private TensorInfo readInfo(int index) {
        long start = cursor.position();
        String name = cursor.readName("the name of tensor " + index, MAX_NAME_BYTES);
        int rank = cursor.readInt("the number of dimensions of tensor '" + name + "'");
        if (rank < 1 || rank > MAX_DIMENSIONS) {
            throw cursor.fault(start, named(name),
                    "has " + Integer.toUnsignedString(rank) + " dimensions, expected 1 to " + MAX_DIMENSIONS);
        }
        List<Long> dimensions = new ArrayList<>(rank);
        for (int i = 0; i < rank; i++) {
            long dimension = cursor.readLong("dimension " + i + " of tensor '" + name + "'");
            if (dimension <= 0) {
                throw cursor.fault(start, named(name), "dimension " + i + " is " + dimension + ", expected at least 1");
            }
            dimensions.add(dimension);
        }
        int typeId = cursor.readInt("the type of tensor '" + name + "'");
        GgmlType type = GgmlType.find(typeId);
        if (type == null) {
            throw cursor.fault(start, named(name), "unknown tensor type " + Integer.toUnsignedString(typeId)
                    + "; it was removed from the format or belongs to a fork: use a file quantised with one of "
                    + List.of(GgmlType.values()));
        }
        long offset = cursor.readLong("the offset of tensor '" + name + "'");
        return new TensorInfo(name, type, dimensions, shard, offset, byteSize(start, name, type, dimensions));
    }

    private long byteSize(long start, String name, GgmlType type, List<Long> dimensions) {
        try {
            long elements = 1;
            for (long dimension : dimensions) {
                elements = Math.multiplyExact(elements, dimension);
            }
            long rowLength = dimensions.getFirst();
            if (rowLength % type.blockElements() != 0) {
                throw cursor.fault(start, named(name), "rows of " + rowLength + " elements are not whole blocks, " + type
                        + " needs a multiple of " + type.blockElements());
            }
            return type.byteSize(elements);
        } catch (ArithmeticException e) {
            throw new GgufException(cursor.file(), start, named(name), "size overflow: dimensions " + dimensions + " of type " + type
                    + " have more than 2^63 bytes" + GgufCursor.DAMAGED, e);
        }
    }

    /** The same tensor with its offset from the start of the file, which lies wholly within the file. */
    private TensorInfo place(TensorInfo tensor, long place, long dataStart, long fileBytes) {
        long offset = tensor.fileOffset();
        if (offset % alignment != 0) {
            throw cursor.fault(place, named(tensor.name()), "data offset " + Long.toUnsignedString(offset)
                    + " is not a multiple of the alignment " + alignment);
        }
        long available = Math.max(0, fileBytes - dataStart);
        if (offset < 0 || offset > available || tensor.byteSize() > available - offset) {
            throw cursor.fault(place, named(tensor.name()), missing(tensor, dataStart, available, fileBytes));
        }
        return new TensorInfo(tensor.name(), tensor.type(), tensor.dimensions(), shard, dataStart + offset, tensor.byteSize());
    }

    private static String missing(TensorInfo tensor, long dataStart, long available, long fileBytes) {
        String wanted = "its " + tensor.byteSize() + " bytes at data offset " + Long.toUnsignedString(tensor.fileOffset())
                + " run past the end of file (" + fileBytes + " bytes, data from " + dataStart + ")";
        if (tensor.fileOffset() < 0 || tensor.fileOffset() > Long.MAX_VALUE - tensor.byteSize()) {
            return wanted + GgufCursor.DAMAGED;
        }
        return wanted + ", " + (tensor.fileOffset() + tensor.byteSize() - available) + " bytes are missing" + GgufCursor.DAMAGED;
    }

    private static String named(String tensor) {
        return "tensor '" + tensor + "'";
    }
}
