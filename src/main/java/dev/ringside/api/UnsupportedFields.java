package dev.ringside.api;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Fields that OpenAI's API knows and this server can't honour. They are refused by name unless their value asks for nothing, because an
 * answer that ignores them would be wrong without a sign.
 */
final class UnsupportedFields {

    private static final List<String> EVERYWHERE = List.of("grammar", "json_schema", "guided_json", "guided_regex", "guided_grammar",
            "guided_choice", "structured_outputs");
    private static final List<String> CHAT = List.of("functions", "function_call", "audio", "prediction", "web_search_options");
    private static final List<String> COMPLETION = List.of("suffix");

    private UnsupportedFields() {}

    static void refuseInChat(JsonFields body) {
        refuseCommon(body);
        refuseAny(body, CHAT);
        refuseTools(body);
        refuseResponseFormat(body);
        if (body.bool("logprobs", false)) {
            throw unsupported(body, "logprobs");
        }
        if (body.integer("top_logprobs").orElse(0) != 0) {
            throw unsupported(body, "top_logprobs");
        }
        JsonNode modalities = body.find("modalities");
        if (modalities != null && !(modalities.isArray() && modalities.size() == 1 && isText(modalities.get(0)))) {
            throw ApiException.unsupported("modalities", "modalities must be [\"text\"]: this model reads and writes text only");
        }
    }

    static void refuseInCompletion(JsonFields body) {
        refuseCommon(body);
        refuseAny(body, COMPLETION);
        if (body.bool("echo", false)) {
            throw unsupported(body, "echo");
        }
        if (body.find("logprobs") != null) {
            throw unsupported(body, "logprobs");
        }
        if (body.integer("best_of").orElse(1) != 1) {
            throw ApiException.unsupported("best_of", "best_of must be 1: one completion is generated per prompt");
        }
    }

    private static void refuseCommon(JsonFields body) {
        refuseAny(body, EVERYWHERE);
        long n = body.integer("n").orElse(1);
        if (n < 1) {
            throw ApiException.invalidValue("n", "n must be 1, got " + n);
        }
        if (n > 1) {
            throw ApiException.unsupported("n",
                    "n must be 1: several choices per request are not supported, send the request again for each");
        }
    }

    private static void refuseAny(JsonFields body, List<String> fields) {
        for (String field : fields) {
            @Nullable JsonNode value = body.find(field);
            if (value != null && !(value.isString() && value.stringValue().isEmpty()) && !(value.isArray() && value.isEmpty())) {
                throw unsupported(body, field);
            }
        }
    }

    private static void refuseTools(JsonFields body) {
        JsonNode tools = body.find("tools");
        boolean some = tools != null && !(tools.isArray() && tools.isEmpty());
        JsonNode choice = body.find("tool_choice");
        boolean none = choice != null && choice.isString() && choice.stringValue().equals("none");
        if (some) {
            throw unsupported(body, "tools");
        }
        if (choice != null && !none && !(choice.isString() && choice.stringValue().equals("auto"))) {
            throw unsupported(body, "tool_choice");
        }
    }

    private static void refuseResponseFormat(JsonFields body) {
        JsonFields format = body.object("response_format");
        if (format != null && !isText(format.require("type"))) {
            throw ApiException.unsupported("response_format",
                    "response_format must be {\"type\": \"text\"}: constrained output is not supported by this server");
        }
    }

    private static boolean isText(JsonNode value) {
        return value.isString() && value.stringValue().equals("text");
    }

    private static ApiException unsupported(JsonFields body, String field) {
        return ApiException.unsupported(body.path(field), body.path(field) + " is not supported by this server; leave it out");
    }
}
