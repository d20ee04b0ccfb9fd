package dev.ringside.model;

/**
 * Geometry of a model's mixtures of experts.
 *
 * @param count experts of a layer
 * @param perToken experts a token is routed to
 * @param width inner size of an expert
 * @param sharedWidth inner size of the shared expert, 0 when there is none
 * @param scale factor on the routing weights
 */
record ExpertSpec(int count, int perToken, int width, int sharedWidth, float scale) {

    static ExpertSpec read(MetadataReader keys, boolean shared) {
        return read(keys, keys.positive("expert_feed_forward_length"), shared ? keys.positive("expert_shared_feed_forward_length") : 0);
    }

    /** For architectures whose experts are as wide as a dense network would be, unless the file says otherwise. */
    static ExpertSpec ofWidth(MetadataReader keys, int width) {
        return read(keys, keys.has("expert_feed_forward_length") ? keys.positive("expert_feed_forward_length") : width, 0);
    }

    private static ExpertSpec read(MetadataReader keys, int width, int sharedWidth) {
        int count = keys.positive("expert_count");
        int perToken = keys.positive("expert_used_count");
        keys.check(perToken <= count, "expert_used_count", "expected at most expert_count " + count + ", found " + perToken);
        return new ExpertSpec(count, perToken, width, sharedWidth, keys.floatOr("expert_weights_scale", 1));
    }
}
