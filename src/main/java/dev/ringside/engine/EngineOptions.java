package dev.ringside.engine;

import java.time.Duration;

/**
 * Size of the engine.
 *
 * @param maxActive most sequences in a step
 * @param stepTokens most rows of a step; at least {@code maxActive}, so that every sequence moves in every step
 * @param contextLength most tokens of a sequence, prompt and output together
 * @param warmUpTokens tokens that {@link InferenceEngine#warmUp()} computes; 0 skips it
 * @param targetInterToken how long a step with prompt rows may take while others generate; zero takes twice what a step without them takes
 * @param speculation how much is drafted ahead, where the model can
 */
public record EngineOptions(int maxActive, int stepTokens, int contextLength, int warmUpTokens, Duration targetInterToken,
        SpeculationOptions speculation) {

    private static final int DEFAULT_WARM_UP_TOKENS = 48;
    private static final Duration DEFAULT_TARGET = Duration.ofMillis(100);

    public EngineOptions {
        atLeast("maxActive", maxActive, 1);
        atLeast("stepTokens", stepTokens, maxActive);
        atLeast("contextLength", contextLength, 2);
        atLeast("warmUpTokens", warmUpTokens, 0);
        if (targetInterToken.isNegative()) {
            throw new IllegalArgumentException("targetInterToken must not be negative, got " + targetInterToken);
        }
    }

    public EngineOptions(int maxActive, int stepTokens, int contextLength, int warmUpTokens, Duration targetInterToken) {
        this(maxActive, stepTokens, contextLength, warmUpTokens, targetInterToken, SpeculationOptions.NONE);
    }

    /** The same with drafts. */
    public EngineOptions with(SpeculationOptions drafts) {
        return new EngineOptions(maxActive, stepTokens, contextLength, warmUpTokens, targetInterToken, drafts);
    }

    public EngineOptions(int maxActive, int stepTokens, int contextLength, int warmUpTokens) {
        this(maxActive, stepTokens, contextLength, warmUpTokens, DEFAULT_TARGET);
    }

    public EngineOptions(int maxActive, int stepTokens, int contextLength) {
        this(maxActive, stepTokens, contextLength, DEFAULT_WARM_UP_TOKENS);
    }

    public EngineOptions withTargetInterToken(Duration target) {
        return new EngineOptions(maxActive, stepTokens, contextLength, warmUpTokens, target, speculation);
    }

    private static void atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " must be at least " + least + ", got " + value);
        }
    }
}
