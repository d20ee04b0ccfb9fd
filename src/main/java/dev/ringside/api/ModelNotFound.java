package dev.ringside.api;

/** The answer to a request for a model that is not served here. */
final class ModelNotFound {

    private ModelNotFound() {}

    static ApiError error(String asked, String served) {
        return new ApiError(404, "The model '" + Quote.shorten(asked) + "' is not served here; use '" + served + "' or leave the field out",
                ApiError.INVALID_REQUEST, "model", "model_not_found", null);
    }

    /** Refuses a request that names another model; a request without a name is for the one that is served. */
    static void refuseOthers(JsonFields body, String served) {
        String asked = body.string("model");
        if (asked != null && !asked.equals(served)) {
            throw error(asked, served).toException();
        }
    }
}
