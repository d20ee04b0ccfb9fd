package dev.ringside.model;

import java.util.Arrays;

/**
 * The blocks of a model. {@code block_count} counts draft (MTP) blocks too: they lie behind the trunk and are not part of it.
 *
 * @param trunk layers of the trunk
 * @param drafts draft blocks
 * @param attention per block, drafts included: attention (true) or Gated DeltaNet
 */
record LayerPlan(int trunk, int drafts, boolean[] attention) {

    private static final int MAX_BLOCKS = 4096;

    /** For hybrid models: an explicit list of recurrent layers wins over the interval. Draft blocks are always attention. */
    static LayerPlan read(MetadataReader keys) {
        int blocks = keys.positive("block_count");
        keys.check(blocks <= MAX_BLOCKS, "block_count", "expected at most " + MAX_BLOCKS + " blocks, found " + blocks);
        int drafts = keys.nonNegative("nextn_predict_layers", 0);
        keys.check(drafts < blocks, "nextn_predict_layers", "expected fewer draft blocks than block_count " + blocks + ", found " + drafts);
        int trunk = blocks - drafts;
        boolean[] attention = new boolean[blocks];
        Arrays.fill(attention, trunk, blocks, true);
        if (keys.has("attention.recurrent_layers")) {
            boolean[] recurrent = keys.bools("attention.recurrent_layers");
            keys.check(recurrent.length >= trunk, "attention.recurrent_layers",
                    "expected one value for each of " + trunk + " trunk layers, found " + recurrent.length);
            for (int i = 0; i < trunk; i++) {
                attention[i] = !recurrent[i];
            }
        } else {
            int interval = keys.positive("full_attention_interval");
            for (int i = 0; i < trunk; i++) {
                attention[i] = (i + 1) % interval == 0;
            }
        }
        return new LayerPlan(trunk, drafts, attention);
    }

    /** For models whose layers are all attention and that have no draft blocks. */
    static LayerPlan attentionOnly(MetadataReader keys) {
        int blocks = keys.positive("block_count");
        keys.check(blocks <= MAX_BLOCKS, "block_count", "expected at most " + MAX_BLOCKS + " blocks, found " + blocks);
        boolean[] attention = new boolean[blocks];
        Arrays.fill(attention, true);
        return new LayerPlan(blocks, 0, attention);
    }

    int blocks() {
        return trunk + drafts;
    }
}
