package dev.ringside.serving;

import dev.ringside.engine.FinishReason;
import dev.ringside.engine.Priority;
import org.jspecify.annotations.Nullable;

/**
 * What became of a request; no text of it.
 *
 * @param keyName name of the API key it came with, null without one
 * @param completionTokens tokens generated; of a request that did not complete, those whose text was delivered
 * @param queuedNanos from its arrival to the first row computed, or to its end when there was none
 * @param firstTokenNanos from its arrival to the first token, or {@link #NO_TOKEN}
 * @param totalNanos from its arrival to its end
 * @param finish why it is complete, or null
 * @param error why it is not, as the code of {@link ServingException#code()} or {@link #CLIENT_LEFT}, or null
 */
public record RequestRecord(String id, @Nullable String keyName, Priority priority, int promptTokens, int cachedTokens,
        int completionTokens, long queuedNanos, long firstTokenNanos, long totalNanos, @Nullable FinishReason finish,
        @Nullable String error) {

    /** Value of {@link #error} when the client closed the connection. */
    public static final String CLIENT_LEFT = "client_disconnected";
    /** Value of {@link #firstTokenNanos} when no token was generated. */
    public static final long NO_TOKEN = -1;
}
