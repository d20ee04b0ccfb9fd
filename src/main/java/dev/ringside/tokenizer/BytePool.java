package dev.ringside.tokenizer;

import java.util.Arrays;

/** Byte strings numbered in the order in which they were added, all in one array: a quarter million of them would be heavy as objects. */
final class BytePool {

    private byte[] bytes;
    private final int[] ends;
    private int count;
    private int used;

    BytePool(int capacity) {
        this.bytes = new byte[Math.max(16, capacity * 8)];
        this.ends = new int[capacity];
    }

    void append(int value) {
        if (used == bytes.length) {
            bytes = Arrays.copyOf(bytes, used * 2);
        }
        bytes[used++] = (byte) value;
    }

    void append(byte[] values) {
        for (byte value : values) {
            append(value);
        }
    }

    void endString() {
        ends[count++] = used;
    }

    int start(int index) {
        return index == 0 ? 0 : ends[index - 1];
    }

    int length(int index) {
        return ends[index] - start(index);
    }

    void copy(int index, byte[] target, int offset) {
        System.arraycopy(bytes, start(index), target, offset, length(index));
    }

    byte[] get(int index) {
        return Arrays.copyOfRange(bytes, start(index), ends[index]);
    }

    boolean equals(int index, byte[] other, int from, int to) {
        return Arrays.equals(bytes, start(index), ends[index], other, from, to);
    }

    boolean equals(int index, int other) {
        return equals(index, bytes, start(other), ends[other]);
    }

    int hash(int index) {
        return hash(bytes, start(index), ends[index]);
    }

    /** FNV-1a, finished so that the low bits depend on every byte. */
    static int hash(byte[] bytes, int from, int to) {
        int hash = 0x811C9DC5;
        for (int i = from; i < to; i++) {
            hash = (hash ^ bytes[i]) * 0x01000193;
        }
        return hash ^ hash >>> 15;
    }
}
