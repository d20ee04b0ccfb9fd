package dev.ringside.api;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** JSON in and out. Input is bounded in depth, and text that no tokenizer or client could take (half a surrogate pair) is refused here. */
final class JsonBody {

    /** Deeper than any real request, shallow enough for every recursive reader. */
    static final int MAX_DEPTH = 64;

    private static final int MAX_NAME_LENGTH = 1024;
    private static final int MAX_NUMBER_LENGTH = 100;

    private final JsonMapper mapper;

    JsonBody(int maxBytes) {
        StreamReadConstraints limits = StreamReadConstraints.builder()
                .maxNestingDepth(MAX_DEPTH)
                .maxStringLength(Math.max(1, maxBytes))
                .maxNameLength(MAX_NAME_LENGTH)
                .maxNumberLength(MAX_NUMBER_LENGTH)
                .build();
        this.mapper = JsonMapper.builder(JsonFactory.builder().streamReadConstraints(limits).build())
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .build();
    }

    /**
     * @throws ApiException when the bytes are not one JSON value within the limits
     */
    JsonNode parse(byte[] body) {
        JsonNode node;
        try {
            node = mapper.readTree(body);
        } catch (StreamConstraintsException e) {
            throw invalid("The request body exceeds a limit: " + e.getOriginalMessage(), e);
        } catch (JacksonException e) {
            throw invalid("The request body is not valid JSON: " + e.getOriginalMessage(), e);
        }
        if (node.isMissingNode()) {
            throw invalid("The request body is empty, expected a JSON object", null);
        }
        Surrogates.refuse(node, "");
        return node;
    }

    /** The value of a text that need not be JSON, or null when it is none. */
    @Nullable
    JsonNode parseQuietly(String text) {
        try {
            return mapper.readTree(text);
        } catch (JacksonException _) {
            return null;
        }
    }

    byte[] write(Object value) {
        return mapper.writeValueAsBytes(value);
    }

    private static ApiException invalid(String message, @Nullable JacksonException cause) {
        String where = "";
        if (cause != null && cause.getLocation() != null && cause.getLocation().getLineNr() > 0) {
            where = " (line " + cause.getLocation().getLineNr() + ", column " + cause.getLocation().getColumnNr() + ")";
        }
        return ApiError.badRequest(null, "invalid_json", Surrogates.replace(message) + where).toException();
    }
}
