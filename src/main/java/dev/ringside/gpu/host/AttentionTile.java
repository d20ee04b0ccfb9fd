package dev.ringside.gpu.host;

import dev.ringside.gpu.AttentionShape;
import dev.ringside.gpu.KvType;

/**
 * One worker's walk over the keys or values that a row sees, some dozens at a time: they are looked up in their pages, widened to F32
 * once for all query heads of the item, and used from the first-level cache.
 */
@SuppressWarnings("NullAway.Init") // arguments of the item in progress
final class AttentionTile {

    private static final int ROWS = 32;

    private final long[] address = new long[ROWS + KeyDots.KEYS];
    /** Where the scales of each row are, for keys and values that have some. */
    private final long[] scales = new long[ROWS];
    private final float[] products = new float[KeyDots.PRODUCTS];
    private float[] weightSums = new float[16];

    private AttentionShape shape;
    private long[] pages;
    private long headOffset;
    private long rowBytes;
    private long headScaleOffset;
    private long scaleRowBytes;
    private int visible;
    private long selected;
    private int ratio;
    private int keptTokens;
    private int tailStart;

    /** Bytes of scratch memory a walk needs. */
    static long bytes(int headSize) {
        return 4L * (ROWS * headSize + KeyDots.PRODUCTS * Vectors.LANES);
    }

    /**
     * @param positions tokens up to and including the row's own
     * @param selectedBlocks address of the row's block selection, or 0 for all positions
     * @param visibleCount number of positions the walk meets
     */
    void begin(AttentionShape attention, long[] pageAddresses, int kvHead, int positions, long selectedBlocks, int blockRatio,
            int visibleCount) {
        shape = attention;
        pages = pageAddresses;
        rowBytes = (long) attention.kvWidth() * attention.kvType().bytes();
        headOffset = (long) kvHead * attention.headSize() * attention.kvType().bytes();
        scaleRowBytes = attention.kvType().scaleRowBytes(attention.kvHeads(), attention.headSize());
        headScaleOffset = attention.scaleOffset() + kvHead * scaleRowBytes / attention.kvHeads();
        visible = visibleCount;
        selected = selectedBlocks;
        ratio = blockRatio;
        keptTokens = selectedBlocks == 0 ? 0 : HostMemory.getInt(selectedBlocks) * blockRatio;
        tailStart = selectedBlocks == 0 ? 0 : positions / blockRatio * blockRatio;
        int group = attention.heads() / attention.kvHeads();
        if (group > weightSums.length) {
            weightSums = new float[group];
        }
    }

    void setWeightSum(int head, float sum) {
        weightSums[head] = sum;
    }

    float weightSum(int head) {
        return weightSums[head];
    }

    /** Scaled scores of {@code heads} consecutive query heads, those of head h from {@code scores + h * stride} on. */
    void scores(long queries, int heads, long buffer, long scores, long stride) {
        int headSize = shape.headSize();
        long headBytes = 4L * headSize;
        long sums = buffer + 4L * ROWS * headSize;
        float scale = (float) (1 / Math.sqrt(headSize));
        for (int start = 0; start < visible; start += ROWS) {
            int count = load(start, shape.keyOffset(), buffer);
            for (int head = 0; head < heads; head += 2) {
                long first = queries + head * headBytes;
                boolean pair = head + 1 < heads;
                long target = scores + head * stride + 4L * start;
                for (int i = 0; i < count; i += KeyDots.KEYS) {
                    KeyDots.dot(first, pair ? first + headBytes : first, address[i], address[i + 1], address[i + 2], address[i + 3],
                            headSize, sums, products);
                    int valid = Math.min(KeyDots.KEYS, count - i);
                    for (int k = 0; k < valid; k++) {
                        HostMemory.setFloat(target + 4L * (i + k), products[k] * scale);
                        if (pair) {
                            HostMemory.setFloat(target + stride + 4L * (i + k), products[KeyDots.KEYS + k] * scale);
                        }
                    }
                }
            }
        }
    }

    /** Sums of the values, weighted by what stands in the place of the scores. */
    void values(long out, int heads, long buffer, long weights, long stride) {
        long headBytes = 4L * shape.headSize();
        NormKernel.zero(out, heads * shape.headSize());
        for (int start = 0; start < visible; start += ROWS) {
            int count = load(start, shape.valueOffset(), buffer);
            for (int head = 0; head < heads; head += 2) {
                boolean pair = head + 1 < heads;
                long target = out + head * headBytes;
                long weight = weights + head * stride + 4L * start;
                AttentionKernel.addValues(address, count, weight, pair ? weight + stride : weight, shape.headSize(), target,
                        pair ? target + headBytes : target);
            }
        }
    }

    /** Looks the rows from {@code start} on up; returns how many there are. */
    private int load(int start, long offset, long buffer) {
        int count = Math.min(ROWS, visible - start);
        int i = 0;
        while (i < count) {
            int position = position(start + i);
            int inPage = position % shape.pageTokens();
            int run = Math.min(Math.min(count - i, shape.pageTokens() - inPage), consecutive(start + i));
            long base = pages[position / shape.pageTokens()] + offset;
            long at = base + headOffset + inPage * rowBytes;
            long scaleAt = base + headScaleOffset + inPage * scaleRowBytes;
            for (int end = i + run; i < end; i++, at += rowBytes, scaleAt += scaleRowBytes) {
                address[i] = at;
                scales[i] = scaleAt;
            }
        }
        if (shape.kvType() != KvType.F32) {
            widen(count, buffer);
        }
        for (int pad = count; pad < count + KeyDots.KEYS; pad++) {
            address[pad] = address[count - 1];
        }
        return count;
    }

    private void widen(int count, long buffer) {
        int headSize = shape.headSize();
        for (int i = 0; i < count; i++) {
            long target = buffer + 4L * i * headSize;
            if (shape.kvType() == KvType.F16) {
                HalfFloats.toFloats(address[i], headSize, target);
            } else {
                SignedBytes.toFloats(address[i], scales[i], headSize, target);
            }
            address[i] = target;
        }
    }

    private int position(int index) {
        if (selected == 0) {
            return index;
        }
        if (index >= keptTokens) {
            return tailStart + index - keptTokens;
        }
        return HostMemory.getInt(selected + 4L * (1 + index / ratio)) * ratio + index % ratio;
    }

    /** How many positions from this one on are surely consecutive. */
    private int consecutive(int index) {
        return selected == 0 || index >= keptTokens ? visible - index : ratio - index % ratio;
    }
}
