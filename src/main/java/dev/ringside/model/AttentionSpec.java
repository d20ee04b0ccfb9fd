package dev.ringside.model;

/**
 * Geometry of a model's attention layers.
 *
 * @param gated whether the query projection also gives an output gate, interleaved per head
 * @param headNorm whether queries and keys are normed per head
 * @param rotary rotation of queries and keys
 */
record AttentionSpec(int heads, int kvHeads, int headSize, boolean gated, boolean headNorm, RotarySpec rotary) {

    static AttentionSpec read(MetadataReader keys, int hidden, boolean gated, boolean headNorm, boolean interleaved) {
        int heads = keys.positive("attention.head_count");
        int kvHeads = keys.has("attention.head_count_kv") ? keys.positive("attention.head_count_kv") : heads;
        keys.check(heads % kvHeads == 0, "attention.head_count", "expected a multiple of head_count_kv " + kvHeads + ", found " + heads);
        keys.check(keys.has("attention.key_length") || hidden % heads == 0, "attention.head_count",
                "expected a divisor of embedding_length " + hidden + ", found " + heads);
        int headSize = keys.has("attention.key_length") ? keys.positive("attention.key_length") : hidden / heads;
        int valueSize = keys.has("attention.value_length") ? keys.positive("attention.value_length") : headSize;
        keys.check(valueSize == headSize, "attention.value_length", "expected the key length " + headSize + ", found " + valueSize);
        return new AttentionSpec(heads, kvHeads, headSize, gated, headNorm, RotarySpec.read(keys, headSize, interleaved));
    }

    int queryWidth() {
        return heads * headSize;
    }

    int kvWidth() {
        return kvHeads * headSize;
    }
}
