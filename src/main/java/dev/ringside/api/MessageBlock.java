package dev.ringside.api;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A block of an answer of {@code /v1/messages}. */
sealed interface MessageBlock {

    record Text(String type, String text) implements MessageBlock {

        Text(String text) {
            this("text", text);
        }
    }

    /** @param signature empty: this server takes back what it wrote without proof */
    record Thinking(String type, String thinking, String signature) implements MessageBlock {

        Thinking(String thinking) {
            this("thinking", thinking, "");
        }
    }

    record ToolUse(String type, String id, String name, Map<String, ? extends @Nullable Object> input) implements MessageBlock {

        ToolUse(String id, String name, Map<String, ? extends @Nullable Object> input) {
            this("tool_use", id, name, input);
        }
    }
}
