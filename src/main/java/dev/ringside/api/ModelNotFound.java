package dev.ringside.api;

/** The answer to a request for a model that is not served here. */
final class ModelNotFound {

    private ModelNotFound() {}

    static ApiError error(String asked, String served) {
        return new ApiError(404, "The model '" + Quote.shorten(asked) + "' is not served here; use '" + served + "' or leave the field out",
                ApiError.INVALID_REQUEST, "model", "model_not_found", null);
    }
}
