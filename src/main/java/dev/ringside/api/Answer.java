package dev.ringside.api;

import dev.ringside.engine.FinishReason;
import dev.ringside.engine.Timings;
import dev.ringside.engine.Usage;

/** One finished choice. */
record Answer(String text, FinishReason reason, Usage usage, Timings timings) {

    /** The reason under OpenAI's name. */
    static String reason(FinishReason reason) {
        return switch (reason) {
            case STOP -> "stop";
            case LENGTH -> "length";
        };
    }
}
