package dev.ringside.model;

/** {@code qwen3moe}: Qwen3-30B-A3B, Qwen3-235B-A22B, Qwen3-Coder. Attention with per-head norms everywhere, no shared expert. */
final class Qwen3Moe {

    static final Architecture ARCHITECTURE = new ResidualArchitecture("qwen3moe", Qwen3Moe::read);

    private Qwen3Moe() {}

    private static ResidualConfig read(MetadataReader keys, String name) {
        int hidden = keys.positive("embedding_length");
        return new ResidualConfig(name, hidden, keys.vocabulary(), keys.positive("context_length"),
                keys.positiveFloat("attention.layer_norm_rms_epsilon"), LayerPlan.attentionOnly(keys),
                AttentionSpec.read(keys, hidden, false, true, false), null, ExpertSpec.read(keys, false), 0, "ffn_norm");
    }
}
