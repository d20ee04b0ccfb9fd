package dev.ringside.api;

import java.util.List;

/** A finished or growing part of an answer of {@code /v1/responses}. */
sealed interface ResponseItem {

    String IN_PROGRESS = "in_progress";
    String COMPLETED = "completed";
    String INCOMPLETE = "incomplete";

    String id();

    /** What the model thought. */
    record Reasoning(String id, String type, String status, List<String> summary, List<ReasoningText> content) implements ResponseItem {

        Reasoning(String id, String status, List<ReasoningText> content) {
            this(id, "reasoning", status, List.of(), content);
        }
    }

    /** What the model says. */
    record Message(String id, String type, String status, String role, List<OutputText> content) implements ResponseItem {

        Message(String id, String status, List<OutputText> content) {
            this(id, "message", status, "assistant", content);
        }
    }

    /** What the model wants called. */
    record Call(String id, String type, String status, String callId, String name, String arguments) implements ResponseItem {

        Call(String id, String status, String callId, String name, String arguments) {
            this(id, "function_call", status, callId, name, arguments);
        }
    }

    record ReasoningText(String type, String text) {

        ReasoningText(String text) {
            this("reasoning_text", text);
        }
    }

    record OutputText(String type, String text, List<String> annotations, List<String> logprobs) {

        OutputText(String text) {
            this("output_text", text, List.of(), List.of());
        }
    }
}
