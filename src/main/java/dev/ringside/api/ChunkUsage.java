package dev.ringside.api;

import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/** The field {@code usage} of a chunk: token counts, or the null that says there are none yet. */
sealed interface ChunkUsage permits UsageBody, ChunkUsage.None {

    None NONE = new None();

    /** Written as null. */
    record None() implements ChunkUsage {

        @JsonValue
        @Nullable
        Object value() {
            return null;
        }
    }
}
