package dev.ringside.api;

import org.jspecify.annotations.Nullable;

/** An error in the shape that Anthropic's clients expect. */
record MessageErrorBody(String type, Detail error, @Nullable String requestId) {

    record Detail(String type, String message) {}

    static MessageErrorBody of(ApiError error, @Nullable String requestId) {
        return new MessageErrorBody("error", new Detail(type(error.status()), error.message()), requestId);
    }

    private static String type(int status) {
        return switch (status) {
            case 401 -> "authentication_error";
            case 403 -> "permission_error";
            case 404 -> "not_found_error";
            case 413 -> "request_too_large";
            case 429 -> "rate_limit_error";
            case 503 -> "overloaded_error";
            case 504 -> "timeout_error";
            default -> status < 500 ? "invalid_request_error" : "api_error";
        };
    }

    /** Whether a request's errors have this shape: those of Anthropic's paths do, whichever part of the server refuses them. */
    static boolean isFor(String path) {
        return path.startsWith("/v1/messages") || path.startsWith("/messages");
    }
}
