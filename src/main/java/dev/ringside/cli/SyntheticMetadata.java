package dev.ringside.cli;

import dev.ringside.gguf.GgufOutputPlan;

/** The key-value pairs of a synthetic model. */
final class SyntheticMetadata {

    private static final int QUANTISATION_VERSION = 2;
    private static final float EPSILON = 1e-6f;

    private SyntheticMetadata() {}

    static GgufOutputPlan plan(ModelShape shape, QuantMix mix, Routing routing, long seed) {
        GgufOutputPlan plan = new GgufOutputPlan(shape.architecture());
        plan.putString("general.type", "model").putString("general.name", shape.title() + " (synthetic)")
                .putString("general.description",
                        "Random weights in the shape of " + shape.title() + ", made by: ringside synthesize --like "
                                + shape.like() + " --layers " + shape.layers() + " --experts " + shape.experts() + " --quant " + mix.text()
                                + " --routing "
                                + routing + " --seed " + seed + ". For measuring and testing: it knows nothing.")
                .putBool(Synthesizer.MARK, true).putInt("general.quantization_version", QUANTISATION_VERSION);
        String prefix = shape.architecture() + '.';
        plan.putInt(prefix + "block_count", shape.layers()).putInt(prefix + "context_length", shape.context())
                .putInt(prefix + "embedding_length", shape.hidden());
        if (shape.feedForward() > 0) {
            plan.putInt(prefix + "feed_forward_length", shape.feedForward());
        }
        plan.putInt(prefix + "attention.head_count", shape.heads()).putInt(prefix + "attention.head_count_kv", shape.kvHeads())
                .putInt(prefix + "attention.key_length", shape.headSize()).putInt(prefix + "attention.value_length", shape.headSize())
                .putFloat(prefix + "attention.layer_norm_rms_epsilon", EPSILON).putFloat(prefix + "rope.freq_base", shape.ropeBase())
                .putInt(prefix + "rope.dimension_count", shape.rotary()).putInt(prefix + "expert_count", shape.experts())
                .putInt(prefix + "expert_used_count", shape.perToken()).putInt(prefix + "expert_feed_forward_length", shape.expertWidth());
        if (shape.sharedWidth() > 0) {
            plan.putInt(prefix + "expert_shared_feed_forward_length", shape.sharedWidth());
        }
        ModelShape.DeltaNet deltaNet = shape.deltaNet();
        if (deltaNet != null) {
            plan.putInt(prefix + "full_attention_interval", shape.attentionInterval()).putInt(prefix + "ssm.conv_kernel", deltaNet.kernel())
                    .putInt(prefix + "ssm.state_size", deltaNet.headSize()).putInt(prefix + "ssm.group_count", deltaNet.keyHeads())
                    .putInt(prefix + "ssm.time_step_rank", deltaNet.valueHeads()).putInt(prefix + "ssm.inner_size", deltaNet.valueWidth());
        }
        if (shape.preTokenizer().equals("qwen35")) {
            plan.putInts(prefix + "rope.dimension_sections", new int[] {11, 11, 10, 0});
        }
        ModelShape.Streams streams = shape.streams();
        if (streams != null) {
            streams(plan, prefix, shape, streams);
        }
        SyntheticTokenizer.put(plan, shape);
        return plan;
    }

    private static void streams(GgufOutputPlan plan, String prefix, ModelShape shape, ModelShape.Streams streams) {
        int[] ratios = new int[shape.layers()];
        for (int layer = 0; layer < ratios.length; layer++) {
            ratios[layer] = shape.attention(layer) ? streams.indexRatio() : 0;
        }
        NGramTable table = streams.nGram();
        plan.putInt(prefix + "hyper_connection.count", streams.count()).putInt(prefix + "hyper_connection.low_rank", streams.rank())
                .putInt(prefix + "attention.indexer.head_count", streams.indexHeads())
                .putInt(prefix + "attention.indexer.key_length", streams.indexSize())
                .putInt(prefix + "attention.indexer.top_k", streams.indexBudget()).putInts(prefix + "attention.compress_ratios", ratios)
                .putInts(prefix + "ple.layers", new int[] {shape.nGramLayer()}).putInt(prefix + "ple.ngram_size", table.order())
                .putInt(prefix + "ple.heads_per_ngram", table.headsPerOrder()).putInt(prefix + "ple.conv_kernel", streams.nGramKernel())
                .putInt(prefix + "ple.eos_token_id", SyntheticTokenizer.endOfText(shape))
                .putInt(prefix + "embedding_length_per_layer_input", streams.nGramRowWidth())
                .putLongs(prefix + "ple.layer_multipliers", table.multipliers()).putLongs(prefix + "ple.head_offsets", table.headOffsets())
                .putLongs(prefix + "ple.head_vocab_sizes", table.headSizes());
    }
}
