package dev.ringside.engine;

import dev.ringside.tokenizer.TokenStreamDecoder;
import dev.ringside.tokenizer.Tokenizer;
import java.util.List;

/** From generated tokens to the text that may be shown: whole characters, nothing of a stop string. */
final class OutputText {

    private final TokenStreamDecoder decoder;
    private final StopMatcher stops;
    private int undelivered;

    OutputText(Tokenizer tokenizer, List<String> stop) {
        this.decoder = new TokenStreamDecoder(tokenizer);
        this.stops = new StopMatcher(stop);
    }

    /** Adds a token and returns the text to show now, which may be empty. */
    String append(int token) {
        undelivered++;
        return stops.append(decoder.append(token));
    }

    boolean stopped() {
        return stops.found();
    }

    /**
     * The rest of the text.
     *
     * @param reason a text cut off by a length may end inside a character, whose first bytes are dropped; a text that the model ended
     *        there shows U+FFFD
     */
    String end(FinishReason reason) {
        String broken = decoder.flush();
        String last = reason == FinishReason.STOP ? stops.append(broken) : "";
        String rest = stops.flush();
        return last.isEmpty() ? rest : rest.isEmpty() ? last : last + rest;
    }

    /** Tokens since the last call. */
    int takeUndelivered() {
        int tokens = undelivered;
        undelivered = 0;
        return tokens;
    }
}
