package dev.ringside.cli;

import dev.ringside.gguf.GgmlType;

/**
 * A tensor to be made.
 *
 * @param dimensions fastest first
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never changed
record SyntheticTensor(String name, GgmlType type, TensorFill fill, long... dimensions) {}
