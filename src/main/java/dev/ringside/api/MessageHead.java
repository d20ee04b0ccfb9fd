package dev.ringside.api;

import org.jspecify.annotations.Nullable;

/**
 * What an answer of {@code /v1/messages} begins with.
 *
 * @param requestId id of the HTTP request, for errors
 * @param promptTokens tokens of the prompt
 * @param showsThinking whether the client wants to read what the model thinks
 */
record MessageHead(String id, String model, @Nullable String requestId, int promptTokens, boolean showsThinking) {}
