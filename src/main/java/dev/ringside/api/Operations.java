package dev.ringside.api;

import org.jspecify.annotations.Nullable;

/** Names of what the API's paths do: OpenTelemetry's where it has one. */
final class Operations {

    private Operations() {}

    /** The operation of a path; null when it is none of the API, such as health, Actuator and the web page. */
    static @Nullable String of(String path) {
        String plain = path.startsWith("/v1/") ? path.substring(3) : path;
        int end = plain.indexOf('/', 1);
        String first = plain.substring(Math.min(1, plain.length()), end < 0 ? plain.length() : end);
        return switch (first) {
            case "chat", "responses" -> "chat";
            case "messages" -> plain.endsWith("/count_tokens") ? "count_tokens" : "chat";
            case "completions" -> "text_completion";
            case "embeddings" -> "embeddings";
            case "tokenize", "detokenize", "models", "requests" -> first;
            default -> path.startsWith("/v1/") ? "other" : null;
        };
    }

    /** Whether it uses the model, so that rate limits hold for it. */
    static boolean generates(String operation) {
        return operation.equals("chat") || operation.equals("text_completion");
    }
}
