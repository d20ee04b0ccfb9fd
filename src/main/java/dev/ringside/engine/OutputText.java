package dev.ringside.engine;

import dev.ringside.engine.GenerationEvent.TextDelta;
import dev.ringside.tokenizer.TokenStreamDecoder;
import dev.ringside.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** From generated tokens to the text that may be shown: whole characters, nothing of a stop string. */
final class OutputText {

    private final TokenStreamDecoder decoder;
    private final StopMatcher stops;
    private final StringBuilder ready = new StringBuilder();
    private int undelivered;
    private List<TokenLogprob> logprobs = List.of();

    /** @param markers as in {@link GenerationRequest#markers()} */
    OutputText(Tokenizer tokenizer, List<String> stop, Set<String> markers) {
        this.decoder = TokenStreamDecoder.showing(tokenizer, markers);
        this.stops = new StopMatcher(stop);
    }

    /** Adds a token. */
    void append(int token) {
        undelivered++;
        ready.append(stops.append(decoder.append(token)));
    }

    /** As {@link GenerationListener#lookAhead}. */
    int lookAhead() {
        return ready.capacity() + stops.lookAhead();
    }

    /** Whether there is text to show. */
    boolean isReady() {
        return !ready.isEmpty();
    }

    /** The stop string that ended the text, or null. */
    @Nullable
    String stop() {
        return stops.match();
    }

    boolean stopped() {
        return stops.found();
    }

    /**
     * Makes the rest of the text ready.
     *
     * @param reason a text cut off by a length may end inside a character, whose first bytes are dropped; a text that the model ended
     *        there shows U+FFFD
     */
    void end(FinishReason reason) {
        String broken = decoder.flush();
        String last = reason == FinishReason.STOP ? stops.append(broken) : "";
        ready.append(last).append(stops.flush());
    }

    /** Adds the entry of the token appended last. */
    void add(TokenLogprob logprob) {
        if (logprobs.isEmpty()) {
            logprobs = new ArrayList<>();
        }
        logprobs.add(logprob);
    }

    /** Whether there are tokens that no delta stands for yet. */
    boolean hasUndelivered() {
        return undelivered > 0;
    }

    /** The text to show, which stands for all tokens since the last call. */
    TextDelta delta() {
        TextDelta delta = new TextDelta(ready.toString(), undelivered, logprobs);
        ready.setLength(0);
        undelivered = 0;
        if (!logprobs.isEmpty()) {
            logprobs = List.of();
        }
        return delta;
    }
}
