package dev.ringside.engine;

/**
 * What a generation used.
 *
 * @param promptTokens tokens of the prompt
 * @param completionTokens tokens generated, the end token not counted
 * @param cachedTokens prompt tokens whose state was reused
 */
public record Usage(int promptTokens, int completionTokens, int cachedTokens) {

    public int totalTokens() {
        return promptTokens + completionTokens;
    }
}
