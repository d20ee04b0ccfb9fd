package dev.ringside.model;

import java.util.Arrays;

/**
 * Geometry of a model's sparse-attention indexers.
 *
 * @param tokens most tokens a query attends to through kept blocks
 * @param ratio per block of the model: tokens of an index block, 0 where attention is dense
 */
record IndexerSpec(int heads, int headSize, int tokens, int[] ratio) {

    /** No layer has an indexer. */
    static IndexerSpec none(int blocks) {
        return new IndexerSpec(0, 0, 0, new int[blocks]);
    }

    static IndexerSpec read(MetadataReader keys, int blocks) {
        int[] ratios = keys.has("attention.compress_ratios") ? keys.perLayer("attention.compress_ratios", blocks) : new int[blocks];
        int sparse = Arrays.stream(ratios).max().orElse(0);
        if (sparse == 0) {
            return none(blocks);
        }
        int tokens = keys.positive("attention.indexer.top_k");
        for (int ratio : ratios) {
            keys.check(ratio == 0 || ratio == sparse, "attention.compress_ratios",
                    "expected one ratio for all layers that have an indexer, found " + Arrays.toString(ratios));
        }
        keys.check(tokens % sparse == 0, "attention.indexer.top_k",
                "expected a multiple of the compress ratio " + sparse + ", found " + tokens);
        return new IndexerSpec(keys.positive("attention.indexer.head_count"), keys.positive("attention.indexer.key_length"), tokens,
                ratios);
    }

    /** Tokens of an index block, 0 when no layer has an indexer. */
    int largestRatio() {
        return Arrays.stream(ratio).max().orElse(0);
    }

    boolean sparse(int block) {
        return ratio[block] > 0;
    }
}
