package dev.ringside.model;

/** How rotary frequencies are stretched to reach beyond the context a model was first trained on. */
sealed interface RopeScaling {

    /** One frequency for each of {@code width / 2} pairs. */
    float[] inverseFrequencies(int width, float base);

    /** Factor on cosine and sine. */
    default float magnitude() {
        return 1;
    }

    static RopeScaling read(MetadataReader keys) {
        String type = keys.has("rope.scaling.type") ? keys.text("rope.scaling.type") : keys.has("rope.scale_linear") ? "linear" : "none";
        return switch (type) {
            case "none" -> new None();
            case "linear" -> new Linear(keys.positiveFloat(keys.has("rope.scaling.factor") ? "rope.scaling.factor" : "rope.scale_linear"));
            case "yarn" -> Yarn.of(keys);
            default -> throw keys.error("rope.scaling.type", "expected none, linear or yarn, found '" + type + "'");
        };
    }

    /** Frequencies as they are. */
    record None() implements RopeScaling {

        @Override
        public float[] inverseFrequencies(int width, float base) {
            float[] frequencies = new float[width / 2];
            for (int i = 0; i < frequencies.length; i++) {
                frequencies[i] = (float) Math.pow(base, -2.0 * i / width);
            }
            return frequencies;
        }
    }

    /** Positions divided by a factor. */
    record Linear(float factor) implements RopeScaling {

        @Override
        public float[] inverseFrequencies(int width, float base) {
            float[] frequencies = new None().inverseFrequencies(width, base);
            for (int i = 0; i < frequencies.length; i++) {
                frequencies[i] /= factor;
            }
            return frequencies;
        }
    }

    /**
     * YaRN (Peng et al. 2023, arXiv 2309.00071): pairs that turn more than {@code betaFast} times within the original context keep their
     * frequency, those that turn less than {@code betaSlow} times are interpolated, those between are blended; attention logits are scaled
     * through cosine and sine.
     *
     * @param factor stretch of the context
     * @param originalContext tokens the model was first trained on
     * @param magnitude factor on cosine and sine, {@code 0.1 ln(factor) + 1} unless the file says otherwise
     */
    record Yarn(float factor, int originalContext, float betaFast, float betaSlow, float magnitude) implements RopeScaling {

        static Yarn of(MetadataReader keys) {
            float factor = keys.positiveFloat("rope.scaling.factor");
            float ramp = keys.floatOr("rope.scaling.yarn_ext_factor", 1);
            keys.check(ramp == 1, "rope.scaling.yarn_ext_factor", "expected 1, found " + ramp);
            float attention = keys.floatOr("rope.scaling.attn_factor", keys.floatOr("rope.scaling.yarn_attn_factor", 1));
            float magnitude = (float) (attention * (factor > 1 ? 0.1 * Math.log(factor) + 1 : 1));
            return new Yarn(factor, keys.positive("rope.scaling.original_context_length"), keys.floatOr("rope.scaling.yarn_beta_fast", 32),
                    keys.floatOr("rope.scaling.yarn_beta_slow", 1), magnitude);
        }

        @Override
        public float[] inverseFrequencies(int width, float base) {
            double low = Math.max(0, Math.floor(pairTurning(betaFast, width, base)));
            double high = Math.min(width - 1, Math.ceil(pairTurning(betaSlow, width, base)));
            float[] frequencies = new float[width / 2];
            for (int i = 0; i < frequencies.length; i++) {
                double kept = 1 - Math.clamp((i - low) / Math.max(0.001, high - low), 0, 1);
                double frequency = Math.pow(base, -2.0 * i / width);
                frequencies[i] = (float) (frequency * kept + frequency / factor * (1 - kept));
            }
            return frequencies;
        }

        /** The (fractional) pair that turns so many times within the original context. */
        private double pairTurning(double turns, int width, float base) {
            return width * Math.log(originalContext / (turns * 2 * Math.PI)) / (2 * Math.log(base));
        }
    }
}
