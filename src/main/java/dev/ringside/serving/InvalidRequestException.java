package dev.ringside.serving;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The request can't be served by this model whenever it is sent. */
public final class InvalidRequestException extends ServingException {

    private static final long serialVersionUID = 1L;

    private final @Nullable String parameter;

    public InvalidRequestException(@Nullable String parameter, String message) {
        super(message);
        this.parameter = parameter;
    }

    /** The parameter at fault as the HTTP API names it, if it is one. */
    public Optional<String> parameter() {
        return Optional.ofNullable(parameter);
    }

    @Override
    public String code() {
        return "invalid_value";
    }
}
