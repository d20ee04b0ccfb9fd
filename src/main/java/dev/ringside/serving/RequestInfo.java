package dev.ringside.serving;

import dev.ringside.engine.Priority;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An admitted request at one moment.
 *
 * @param age since it was admitted
 * @param promptDone prompt tokens computed or reused so far
 * @param generated tokens whose text was delivered so far
 * @param maxTokens most tokens it asks for
 * @param keyName name of the API key it came with, null without one
 */
public record RequestInfo(String id, Priority priority, State state, Duration age, int promptTokens, int promptDone, int generated,
        int maxTokens, @Nullable String keyName) {

    /** Where it is on its way. */
    public enum State {
        /** It waits for a place. */
        QUEUED,
        /** Its prompt is being computed. */
        PROMPT,
        /** It generates. */
        GENERATING,
        /** Its state was moved out of the device; it goes on when there is room. */
        SUSPENDED
    }
}
