package dev.ringside.api;

/** A request that is answered with an {@link ApiError}. */
final class ApiException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient ApiError error;

    ApiException(ApiError error) {
        super(error.message(), null, false, false);
        this.error = error;
    }

    ApiError error() {
        return error;
    }

    static ApiException wrongType(String param, String expected, String found) {
        return ApiError.badRequest(param, "invalid_type", param + " must be " + expected + ", got " + found).toException();
    }

    static ApiException invalidValue(String param, String message) {
        return ApiError.badRequest(param, "invalid_value", message).toException();
    }

    static ApiException missing(String param) {
        return ApiError.badRequest(param, "missing_required_parameter", param + " is required").toException();
    }

    static ApiException unsupported(String param, String message) {
        return ApiError.badRequest(param, "unsupported_parameter", message).toException();
    }
}
