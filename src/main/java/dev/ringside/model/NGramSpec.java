package dev.ringside.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The n-gram hash embedding (PLE) of a model.
 *
 * @param layer block whose streams it is added to
 * @param order longest n-gram, also the dilation of its convolution
 * @param headsPerOrder hash heads per n
 * @param rowWidth values of one table row
 * @param kernel taps of its convolution
 * @param endToken id that cuts contexts, and stands for tokens before the start
 */
record NGramSpec(int layer, int order, int headsPerOrder, int rowWidth, int kernel, int endToken, long[] multipliers, long[] headOffsets,
        long[] headSizes) {

    static @Nullable NGramSpec read(MetadataReader keys, int trunk) {
        if (!keys.has("ple.layers") || keys.ints("ple.layers").length == 0) {
            return null;
        }
        int[] layers = keys.ints("ple.layers");
        keys.check(layers.length == 1 && layers[0] >= 0 && layers[0] < trunk, "ple.layers",
                "expected one layer below " + trunk + ", found " + Arrays.toString(layers));
        int order = keys.positive("ple.ngram_size");
        keys.check(order >= 2 && order <= 16, "ple.ngram_size", "expected 2 to 16, found " + order);
        int perOrder = keys.positive("ple.heads_per_ngram");
        keys.check(perOrder <= 1024, "ple.heads_per_ngram", "expected at most 1024, found " + perOrder);
        int heads = (order - 1) * perOrder;
        long[] sizes = keys.longs("ple.head_vocab_sizes", heads);
        long[] offsets = keys.longs("ple.head_offsets", heads);
        for (int i = 0; i < heads; i++) {
            keys.check(sizes[i] > 0, "ple.head_vocab_sizes", "expected positive sizes, found " + sizes[i]);
            keys.check(offsets[i] >= 0 && offsets[i] <= Integer.MAX_VALUE - sizes[i], "ple.head_offsets",
                    "expected row numbers below 2^31, found " + offsets[i]);
        }
        return new NGramSpec(layers[0], order, perOrder, keys.positive("embedding_length_per_layer_input"),
                keys.positive("ple.conv_kernel"),
                keys.nonNegative("ple.eos_token_id", 0), keys.longs("ple.layer_multipliers", order), offsets, sizes);
    }

    int heads() {
        return (order - 1) * headsPerOrder;
    }

    /** Values of all heads' rows together. */
    int width() {
        return heads() * rowWidth;
    }

    /** Rows the hash can reach. */
    long tableRows() {
        long rows = 0;
        for (int head = 0; head < headSizes.length; head++) {
            rows = Math.max(rows, headOffsets[head] + headSizes[head]);
        }
        return rows;
    }
}
