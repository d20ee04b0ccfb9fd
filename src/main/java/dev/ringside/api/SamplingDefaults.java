package dev.ringside.api;

/**
 * What is used when a request says nothing: the model file's {@code general.sampling.*} keys, or values that change nothing.
 *
 * @param temperature 0 to 2
 * @param topP in (0, 1], 1 is off
 * @param topK 0 is off
 * @param minP in [0, 1], 0 is off
 * @param repetitionPenalty 1 is off
 */
public record SamplingDefaults(float temperature, float topP, int topK, float minP, float repetitionPenalty) {

    /** Plain sampling from the model's own distribution. */
    public static SamplingDefaults plain() {
        return new SamplingDefaults(1, 1, 0, 0, 1);
    }
}
