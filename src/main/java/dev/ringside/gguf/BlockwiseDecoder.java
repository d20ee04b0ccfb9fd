package dev.ringside.gguf;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Checks the arguments and applies a function to each block. */
record BlockwiseDecoder(GgmlType type, BlockFunction function) implements BlockDecoder {

    /** Decodes the block at byte {@code at} of {@code source} to {@code target} from index {@code to}. */
    @FunctionalInterface
    interface BlockFunction {
        void decode(MemorySegment source, long at, float[] target, int to);
    }

    @Override
    public void decode(MemorySegment source, long offset, float[] target, int targetOffset, int elements) {
        Objects.checkFromIndexSize(offset, type.rowBytes(elements), source.byteSize());
        Objects.checkFromIndexSize(targetOffset, elements, target.length);
        long at = offset;
        for (int i = 0; i < elements; i += type.blockElements()) {
            function.decode(source, at, target, targetOffset + i);
            at += type.blockBytes();
        }
    }
}
