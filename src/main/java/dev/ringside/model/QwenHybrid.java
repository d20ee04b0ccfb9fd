package dev.ringside.model;

import org.jspecify.annotations.Nullable;

/**
 * Gated DeltaNet with gated attention every few layers: {@code qwen3next} (Qwen3-Next, Qwen3-Coder-Next), {@code qwen35moe} (Qwen3.5 and 3.6
 * mixtures of experts) and {@code qwen35} (their dense relatives). They differ in which key head a value head uses: files of
 * {@code qwen3next} keep value heads grouped by key head, the others hold them tiled.
 */
final class QwenHybrid {

    static final Architecture QWEN3_NEXT = new ResidualArchitecture("qwen3next",
            (keys, name) -> read(keys, name, true, ExpertSpec.read(keys, true)));
    static final Architecture QWEN35_MOE = new ResidualArchitecture("qwen35moe",
            (keys, name) -> read(keys, name, false, ExpertSpec.read(keys, true)));
    static final Architecture QWEN35 = new ResidualArchitecture("qwen35", (keys, name) -> read(keys, name, false, null));

    private QwenHybrid() {}

    private static ResidualConfig read(MetadataReader keys, String name, boolean groupedHeads, @Nullable ExpertSpec experts) {
        int hidden = keys.positive("embedding_length");
        return new ResidualConfig(name, hidden, keys.vocabulary(), keys.positive("context_length"),
                keys.positiveFloat("attention.layer_norm_rms_epsilon"), LayerPlan.read(keys),
                AttentionSpec.read(keys, hidden, true, true, false),
                DeltaNetSpec.read(keys, groupedHeads, false), experts, experts == null ? keys.positive("feed_forward_length") : 0,
                "post_attention_norm");
    }
}
