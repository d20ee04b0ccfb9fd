package dev.ringside.ops;

/** Names of tags and span attributes, as OpenTelemetry has them. */
final class RequestTags {

    static final String OPERATION = "gen_ai.operation.name";
    static final String PROVIDER = "gen_ai.provider.name";
    static final String REQUEST_MODEL = "gen_ai.request.model";
    static final String RESPONSE_MODEL = "gen_ai.response.model";
    static final String TOKEN_TYPE = "gen_ai.token.type";
    static final String ERROR = "error.type";
    static final String QUEUE_PRIORITY = "priority";

    static final String PROVIDER_NAME = "ringside";
    /** Value of {@link #ERROR} without one: a meter's series all have the same tags. */
    static final String NO_ERROR = "none";

    static final String[] REQUEST = {OPERATION, PROVIDER, REQUEST_MODEL, RESPONSE_MODEL, ERROR};
    static final String[] USAGE = {OPERATION, PROVIDER, REQUEST_MODEL, RESPONSE_MODEL, TOKEN_TYPE};
    static final String[] PRIORITY = {QUEUE_PRIORITY};
    static final String[] NONE = {};

    private RequestTags() {}
}
