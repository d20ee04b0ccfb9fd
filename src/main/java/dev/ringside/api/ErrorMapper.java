package dev.ringside.api;

import dev.ringside.chat.TemplateException;
import dev.ringside.engine.GenerationException;
import dev.ringside.sampling.InvalidSamplingException;
import dev.ringside.serving.DeadlineExceededException;
import dev.ringside.serving.GenerationFailedException;
import dev.ringside.serving.InvalidRequestException;
import dev.ringside.serving.PromptTooLongException;
import dev.ringside.serving.QueueFullException;
import dev.ringside.serving.RateLimitedException;
import dev.ringside.serving.RequestCancelledException;
import dev.ringside.serving.ServingException;
import dev.ringside.serving.UnavailableException;
import dev.ringside.tokenizer.TokenizerException;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.web.ErrorResponse;

/** What a failure means to the client. */
final class ErrorMapper {

    private static final Duration SOON = Duration.ofSeconds(1);
    /** nginx's; clients don't try again by themselves, as they would with a status of the server. */
    private static final int CLIENT_CLOSED = 499;

    ApiError map(Throwable failure) {
        return switch (failure) {
            case ApiException refused -> refused.error();
            case InvalidSamplingException invalid -> ApiError.badRequest(invalid.parameter(), "invalid_value", text(invalid));
            case TokenizerException unreadable ->
                ApiError.badRequest(null, "invalid_value", "The text can't be encoded: " + text(unreadable));
            case TemplateException refused -> ApiError.badRequest("messages", "template_error", refused.raisedByTemplate()
                    ? "The model's chat template refuses this conversation: " + text(refused)
                    : "The model's chat template can't render this conversation: " + text(refused));
            case ServingException refused -> serving(refused);
            case GenerationException failed -> generation(failed.kind(), text(failed), SOON);
            case RejectedExecutionException _ -> busy("The server reads as many requests as it can; try again", SOON);
            case ErrorResponse response -> http(response);
            default -> ApiError.internal();
        };
    }

    private static ApiError serving(ServingException refusal) {
        Duration retryAfter = refusal.retryAfter().orElse(null);
        return switch (refusal) {
            case PromptTooLongException tooLong -> ApiError.badRequest("messages", "context_length_exceeded", text(tooLong));
            case InvalidRequestException invalid -> ApiError.badRequest(invalid.parameter().orElse(null), "invalid_value", text(invalid));
            case QueueFullException full -> busy(text(full), retryAfter);
            case UnavailableException unavailable -> unavailable("unavailable", text(unavailable), retryAfter);
            case GenerationFailedException failed -> generation(failed.kind(), text(failed), retryAfter);
            case DeadlineExceededException late -> new ApiError(504, text(late), ApiError.UNAVAILABLE, null, late.code(), retryAfter);
            case RequestCancelledException cancelled ->
                new ApiError(CLIENT_CLOSED, text(cancelled), ApiError.INVALID_REQUEST, null, cancelled.code(), null);
            case RateLimitedException limited ->
                new ApiError(429, text(limited), ApiError.RATE_LIMIT, null, limited.code(), retryAfter);
        };
    }

    private static ApiError generation(GenerationException.Kind kind, String message, @Nullable Duration retryAfter) {
        return switch (kind) {
            case EXPERT_IO -> unavailable("expert_io", message, retryAfter);
            case DEVICE -> unavailable("device_fault", message, retryAfter);
            case STATE_MEMORY -> unavailable("state_memory", message, retryAfter);
            case SHUTDOWN -> unavailable("shutting_down", message, retryAfter);
            case INVALID_LOGITS -> ApiError.of(500, ApiError.SERVER, "invalid_logits", message);
            case LISTENER, INTERNAL -> ApiError.internal();
        };
    }

    private static ApiError unavailable(String code, String message, @Nullable Duration retryAfter) {
        return new ApiError(503, message, ApiError.UNAVAILABLE, null, code, retryAfter);
    }

    private static ApiError busy(String message, @Nullable Duration retryAfter) {
        return new ApiError(429, message, ApiError.RATE_LIMIT, null, "queue_full", retryAfter);
    }

    private static ApiError http(ErrorResponse response) {
        int status = response.getStatusCode().value();
        return switch (status) {
            case 404 -> ApiError.of(404, ApiError.INVALID_REQUEST, "not_found", "There is nothing at this path");
            case 405 -> ApiError.of(405, ApiError.INVALID_REQUEST, "method_not_allowed",
                    "This path does not take this method; the Allow header lists those it takes");
            case 406 ->
                ApiError.of(406, ApiError.INVALID_REQUEST, "not_acceptable", "The Accept header asks for a type that is not served here");
            case 415 -> ApiError.of(415, ApiError.INVALID_REQUEST, "unsupported_media_type", "The content type must be application/json");
            default -> {
                if (status >= 500) {
                    yield ApiError.internal();
                }
                String detail = response.getBody().getDetail();
                yield ApiError.of(status, ApiError.INVALID_REQUEST, "bad_request",
                        detail == null ? "The request can't be understood" : detail);
            }
        };
    }

    private static String text(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }
}
