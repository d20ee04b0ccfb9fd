package dev.ringside.api;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the text of an answer has to be. */
sealed interface ChatResponseFormat {

    enum Plain implements ChatResponseFormat {
        TEXT,
        /** Any JSON object. */
        JSON_OBJECT
    }

    /**
     * JSON that follows a schema.
     *
     * @param schema as JSON values
     * @param strict what OpenAI promises only with this flag holds here without it too
     */
    record JsonSchema(String name, Map<String, ? extends @Nullable Object> schema, boolean strict) implements ChatResponseFormat {}
}
