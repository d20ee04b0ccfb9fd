package dev.ringside.model;

/**
 * Rotation of queries and keys.
 *
 * @param width leading elements of a head that are rotated
 * @param interleaved whether neighbours are paired (llama) instead of halves (NEOX)
 */
record RotarySpec(int width, float base, boolean interleaved, RopeScaling scaling) {

    static RotarySpec read(MetadataReader keys, int headSize, boolean interleaved) {
        int width = keys.has("rope.dimension_count") ? keys.positive("rope.dimension_count") : headSize;
        keys.check(width % 2 == 0 && width <= headSize, "rope.dimension_count",
                "expected an even number up to the head size " + headSize + ", found " + width);
        float base = keys.has("rope.freq_base") ? keys.positiveFloat("rope.freq_base") : 10_000;
        return new RotarySpec(width, base, interleaved, RopeScaling.read(keys));
    }

    /** One frequency for each pair: {@code base^(-2i / width)}, scaled. */
    float[] inverseFrequencies() {
        return scaling.inverseFrequencies(width, base);
    }

    /** Factor on cosine and sine. */
    float magnitude() {
        return scaling.magnitude();
    }
}
