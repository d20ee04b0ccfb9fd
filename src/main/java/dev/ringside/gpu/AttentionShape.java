package dev.ringside.gpu;

import org.jspecify.annotations.Nullable;

/**
 * Geometry of one attention layer, its norms, and where its keys and values lie in a page.
 *
 * <p>A page holds, for this layer, keys {@code [pageTokens][kvHeads * headSize]} at {@code keyOffset} and values of the same shape at
 * {@code valueOffset}, in {@code kvType}. Those of {@link KvType#Q8} are followed by their scales,
 * {@code [pageTokens][kvHeads * scales(headSize)]} F16.
 *
 * @param heads query heads; head {@code h} reads key/value head {@code h / (heads / kvHeads)}
 * @param gated whether each head's query rows are followed by as many rows of an output gate (query and gate interleaved per head)
 * @param rotary rotation of queries and keys, of at most {@code headSize} elements
 * @param queryNorm F32, {@code headSize}; absent where the architecture has none
 * @param keyNorm F32, {@code headSize}; absent where the architecture has none
 * @param keyOffset byte offset in a page
 * @param valueOffset byte offset in a page
 */
public record AttentionShape(int heads, int kvHeads, int headSize, boolean gated, Rotary rotary,
        @Nullable DevicePtr queryNorm, @Nullable DevicePtr keyNorm, float epsilon, KvType kvType, int pageTokens, long keyOffset,
        long valueOffset) {

    /** Elements of one row of keys (or values). */
    public int kvWidth() {
        return kvHeads * headSize;
    }

    /** Bytes between the start of the keys (or values) of a page and that of their scales. */
    public long scaleOffset() {
        return (long) pageTokens * kvWidth() * kvType.bytes();
    }

    /** Elements of one row of queries. */
    public int queryWidth() {
        return heads * headSize;
    }
}
