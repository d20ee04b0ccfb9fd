package dev.ringside.model;

/**
 * {@code llama}: Llama, Mistral and their relatives, dense or (Mixtral) with experts of the feed-forward width. Neighbouring elements are
 * rotated together: files of this architecture hold query and key rows in that order.
 */
final class Llama {

    static final Architecture ARCHITECTURE = new ResidualArchitecture("llama", Llama::read);

    private Llama() {}

    private static ResidualConfig read(MetadataReader keys, String name) {
        int hidden = keys.positive("embedding_length");
        int width = keys.positive("feed_forward_length");
        boolean experts = keys.nonNegative("expert_count", 0) > 0;
        return new ResidualConfig(name, hidden, keys.vocabulary(), keys.positive("context_length"),
                keys.positiveFloat("attention.layer_norm_rms_epsilon"), LayerPlan.attentionOnly(keys),
                AttentionSpec.read(keys, hidden, false, false, true), null, experts ? ExpertSpec.ofWidth(keys, width) : null,
                experts ? 0 : width, "ffn_norm");
    }
}
