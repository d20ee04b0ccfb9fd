package dev.ringside.engine;

/**
 * Size of the engine.
 *
 * @param maxActive most sequences in a step
 * @param stepTokens most rows of a step; at least {@code maxActive}, so that every sequence moves in every step
 * @param contextLength most tokens of a sequence, prompt and output together
 * @param warmUpTokens tokens that {@link InferenceEngine#warmUp()} computes; 0 skips it
 */
public record EngineOptions(int maxActive, int stepTokens, int contextLength, int warmUpTokens) {

    private static final int DEFAULT_WARM_UP_TOKENS = 48;

    public EngineOptions {
        atLeast("maxActive", maxActive, 1);
        atLeast("stepTokens", stepTokens, maxActive);
        atLeast("contextLength", contextLength, 2);
        atLeast("warmUpTokens", warmUpTokens, 0);
    }

    public EngineOptions(int maxActive, int stepTokens, int contextLength) {
        this(maxActive, stepTokens, contextLength, DEFAULT_WARM_UP_TOKENS);
    }

    private static void atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " must be at least " + least + ", got " + value);
        }
    }
}
