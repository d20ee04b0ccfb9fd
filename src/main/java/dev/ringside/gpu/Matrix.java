package dev.ringside.gpu;

import dev.ringside.gguf.GgmlType;

/**
 * A weight matrix as the file stores it: {@code rows} outputs, each a row of {@code columns} inputs in whole blocks of {@code type}.
 *
 * @param data the first block; {@code rows * type.rowBytes(columns)} bytes
 * @param rows outputs
 * @param columns inputs
 * @param scale factor on the stored values, 1 for most (NVFP4 tensors have a {@code .scale} of their own)
 */
public record Matrix(DevicePtr data, GgmlType type, int rows, int columns, float scale) {

    public Matrix {
        data.require(Math.multiplyExact(type.rowBytes(columns), (long) rows), "Matrix of " + rows + " x " + columns + " " + type);
    }

    public Matrix(DevicePtr data, GgmlType type, int rows, int columns) {
        this(data, type, rows, columns, 1);
    }

    public long rowBytes() {
        return type.rowBytes(columns);
    }
}
