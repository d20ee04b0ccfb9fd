package dev.ringside.api;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a refused request is told, in the shape OpenAI's clients expect.
 *
 * @param status HTTP status
 * @param message what is wrong and what would be right
 * @param type the family, such as {@code invalid_request_error}
 * @param param the field concerned, such as {@code messages[0].content}
 * @param code a word for programs, such as {@code context_length_exceeded}
 * @param retryAfter when trying again makes sense
 */
record ApiError(int status, String message, String type, @Nullable String param, @Nullable String code, @Nullable Duration retryAfter) {

    static final String INVALID_REQUEST = "invalid_request_error";
    static final String AUTHENTICATION = "authentication_error";
    static final String RATE_LIMIT = "rate_limit_error";
    static final String UNAVAILABLE = "unavailable_error";
    static final String SERVER = "server_error";

    static ApiError of(int status, String type, String code, String message) {
        return new ApiError(status, message, type, null, code, null);
    }

    static ApiError badRequest(@Nullable String param, String code, String message) {
        return new ApiError(400, message, INVALID_REQUEST, param, code, null);
    }

    static ApiError internal() {
        return of(500, SERVER, "internal_error",
                "The server failed on this request; its log has the details under the x-request-id of this response");
    }

    ApiException toException() {
        return new ApiException(this);
    }
}
