package dev.ringside.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/** The error object of OpenAI's API. */
record ErrorBody(Detail error) {

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Detail(String message, String type, @Nullable String param, @Nullable String code) {}

    static ErrorBody of(ApiError error) {
        return new ErrorBody(new Detail(error.message(), error.type(), error.param(), error.code()));
    }
}
