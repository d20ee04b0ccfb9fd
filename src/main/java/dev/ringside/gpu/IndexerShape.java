package dev.ringside.gpu;

/**
 * Geometry of a sparse-attention indexer (QSA): it scores blocks of {@code ratio} tokens and keeps the best {@code topBlocks}.
 *
 * <p>A finished block key (mean of the raw keys, RMS norm, RoPE at the block's first position) is {@code headSize} F32 values; a page
 * holds {@code pageTokens / ratio} of them at {@code blockKeyOffset}. The raw keys of the open block are recurrent state:
 * {@code [ratio][headSize]} F32 at {@code openKeysOffset} of a plane, the key of position p at row {@code p % ratio}.
 *
 * @param rotary rotation of query heads and block keys, of at most {@code headSize} elements
 * @param queryNorm F32, {@code headSize}
 * @param keyNorm F32, {@code headSize}
 */
public record IndexerShape(int heads, int headSize, int ratio, int topBlocks, Rotary rotary, DevicePtr queryNorm,
        DevicePtr keyNorm, float epsilon, int pageTokens, long blockKeyOffset, long openKeysOffset) {}
