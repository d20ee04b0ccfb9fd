package dev.ringside.gguf;

import java.util.List;

/**
 * Where a tensor lies and how it is stored.
 *
 * @param name name in the file
 * @param type storage type of all its elements
 * @param dimensions one to four positive sizes, fastest first: {@code {in, out}} is {@code out} rows of {@code in} elements,
 *        {@code {in, out, experts}} is {@code experts} such matrices one after another
 * @param shard index of the part that holds it, 0 for a file that is not split
 * @param fileOffset offset in bytes from the start of that part
 * @param byteSize size in bytes
 */
public record TensorInfo(String name, GgmlType type, List<Long> dimensions, int shard, long fileOffset, long byteSize) {

    public TensorInfo {
        dimensions = List.copyOf(dimensions);
        if (dimensions.isEmpty()) {
            throw new IllegalArgumentException("tensor '" + name + "' has no dimensions");
        }
    }

    /** Number of dimensions, 1 to 4. */
    public int rank() {
        return dimensions.size();
    }

    /** Size of the dimension, 1 beyond the rank: {@code {H}} and {@code {H, 1}} look alike. */
    public long dimension(int index) {
        return index < dimensions.size() ? dimensions.get(index) : 1;
    }

    /** Number of elements. */
    public long elements() {
        return Math.multiplyExact(rowLength(), rows());
    }

    /** Elements of a row: the fastest dimension, the input length of a matrix. */
    public long rowLength() {
        return dimensions.getFirst();
    }

    /** Rows of all matrices together. */
    public long rows() {
        long rows = 1;
        for (int i = 1; i < dimensions.size(); i++) {
            rows = Math.multiplyExact(rows, dimensions.get(i));
        }
        return rows;
    }

    /** Bytes of one row. */
    public long rowBytes() {
        return type.rowBytes(rowLength());
    }

    /** Bytes of one matrix of a stack such as {@code {in, out, experts}}: matrix {@code e} starts at {@code e * matrixBytes()}. */
    public long matrixBytes() {
        return Math.multiplyExact(rowBytes(), dimension(1));
    }

    /** The dimensions as shown to people, fastest first: {@code {2048, 768, 128}}. */
    public String shape() {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < dimensions.size(); i++) {
            text.append(i == 0 ? "" : ", ").append(dimensions.get(i).longValue());
        }
        return text.append('}').toString();
    }
}
