package dev.ringside.api;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads the body of {@code POST /v1/responses}. */
final class ResponsesParser {

    /** Fields that a chat takes too, under the same name. */
    private static final List<String> SHARED = List.of("model", "temperature", "top_p", "top_k", "min_p", "presence_penalty",
            "frequency_penalty", "repetition_penalty", "seed", "stop", "logit_bias", "parallel_tool_calls", "service_tier", "priority",
            "timeout",
            "user", "chat_template_kwargs");
    private static final KnownFields FIELDS = KnownFields.of(ResponseFields.ALL);
    private static final KnownFields REASONING = KnownFields.of("effort", "summary", "generate_summary", "context", "mode");
    private static final KnownFields STREAM_OPTIONS = KnownFields.of("include_obfuscation");
    private static final String ENCRYPTED_REASONING = "reasoning.encrypted_content";
    private static final int MAX_METADATA = 16;

    private final JsonBody json;
    private final ResponseStore store;

    ResponsesParser(JsonBody json, ResponseStore store) {
        this.json = json;
        this.store = store;
    }

    /** @param keyName name of the API key, whose stored answers can be continued */
    ResponsesRequest parse(JsonNode node, @Nullable String keyName) {
        JsonFields body = FIELDS.check(JsonFields.root(node));
        refuse(body);
        ChatBody chat = new ChatBody();
        boolean stream = body.bool("stream", false);
        boolean keep = body.bool("store", true) && store.enabled();
        SHARED.forEach(field -> chat.copy(body, field, field));
        chat.copy(body, "max_output_tokens", "max_completion_tokens");
        chat.copy(body, "stream", "stream");
        JsonFields reasoning = body.object("reasoning");
        if (reasoning != null) {
            chat.copy(REASONING.check(reasoning), "effort", "reasoning_effort");
        }
        ResponseTools.translate(body, chat);

        String instructions = body.string("instructions");
        if (instructions != null) {
            chat.message("system", instructions, "instructions");
        }
        ResponseItems items = new ResponseItems(chat);
        List<byte[]> before = previous(body, keyName);
        for (byte[] turn : before) {
            json.parse(turn).forEach(item -> items.add(item, "previous_response_id"));
        }
        List<JsonNode> input = input(body, keyName);
        for (int i = 0; i < input.size(); i++) {
            items.add(input.get(i), body.require("input").isString() ? "input" : "input[" + i + "]");
        }
        if (!chat.hasMessages()) {
            throw ApiException.invalidValue("input", "input must hold at least one item");
        }
        return new ResponsesRequest(chat, stream, keep, before, input, echo(body, keep));
    }

    private static void refuse(JsonFields body) {
        UnsupportedFields.refuse(body, ResponseFields.ALL);
        String truncation = body.string("truncation");
        if (truncation != null && !truncation.equals("disabled")) {
            throw ApiException.unsupported("truncation", "truncation must be disabled: nothing of a conversation is dropped here");
        }
        JsonNode include = body.find("include");
        if (include != null && !include.isArray()) {
            throw ApiException.wrongType("include", "an array", JsonFields.kind(include));
        }
        for (int i = 0; include != null && i < include.size(); i++) {
            String what = JsonFields.string(include.get(i), "include[" + i + "]");
            if (!what.equals(ENCRYPTED_REASONING)) {
                throw ApiException.unsupported("include[" + i + "]", "include[" + i + "] must be " + ENCRYPTED_REASONING + ", got '"
                        + Quote.shorten(what) + "': there is nothing else to include");
            }
        }
        JsonFields options = body.object("stream_options");
        if (options != null) {
            STREAM_OPTIONS.check(options).bool("include_obfuscation", false);
        }
    }

    private List<byte[]> previous(JsonFields body, @Nullable String keyName) {
        String id = body.string("previous_response_id");
        if (id == null) {
            return List.of();
        }
        StoredResponse previous = store.find(id, keyName);
        if (previous == null) {
            throw ApiError.badRequest("previous_response_id", "previous_response_not_found", "No response with the id '" + Quote.shorten(id)
                    + "' is stored here: it was never stored, or its time or memory ran out; send the whole conversation in input")
                    .toException();
        }
        return previous.conversation();
    }

    private List<JsonNode> input(JsonFields body, @Nullable String keyName) {
        JsonNode input = body.find("input");
        if (input == null) {
            throw ApiException.missing("input");
        }
        List<JsonNode> items = new ArrayList<>();
        if (input.isString()) {
            ObjectNode message = JsonNodeFactory.instance.objectNode().put("type", "message").put("id", RequestId.create("msg_"))
                    .put("role", "user");
            message.putArray("content").addObject().put("type", "input_text").put("text", input.stringValue());
            items.add(message);
            return items;
        }
        if (!input.isArray()) {
            throw ApiException.wrongType("input", "a string or an array of items", JsonFields.kind(input));
        }
        for (int i = 0; i < input.size(); i++) {
            JsonFields item = JsonFields.of(input.get(i), "input[" + i + "]");
            items.add(ResponseItems.type(item).equals("item_reference") ? referred(item, keyName) : input.get(i));
        }
        return items;
    }

    private JsonNode referred(JsonFields item, @Nullable String keyName) {
        String id = JsonFields.string(item.require("id"), item.path("id"));
        StoredResponse response = store.findByItem(id, keyName);
        if (response != null) {
            for (JsonNode stored : json.parse(response.conversation().getLast())) {
                if (id.equals(stored.path("id").asString(""))) {
                    return stored;
                }
            }
        }
        throw ApiError.badRequest(item.path("id"), "item_not_found", "No item with the id '" + Quote.shorten(id)
                + "' is stored here; send the item itself").toException();
    }

    private static Map<String, @Nullable Object> echo(JsonFields body, boolean keep) {
        Map<String, @Nullable Object> echo = new LinkedHashMap<>();
        JsonFields metadata = body.object("metadata");
        if (metadata != null) {
            refuseOddMetadata(metadata);
        }
        echo.put("instructions", body.string("instructions"));
        for (String field : List.of("max_output_tokens", "metadata", "previous_response_id", "reasoning", "service_tier", "temperature",
                "top_p", "user", "safety_identifier", "prompt_cache_key")) {
            echo.put(field, body.find(field));
        }
        echo.put("parallel_tool_calls", body.bool("parallel_tool_calls", true));
        echo.put("store", keep);
        JsonNode text = body.find("text");
        echo.put("text", text == null ? Map.of("format", Map.of("type", "text")) : text);
        JsonNode choice = body.find("tool_choice");
        echo.put("tool_choice", choice == null ? "auto" : choice);
        JsonNode tools = body.find("tools");
        echo.put("tools", tools == null ? List.of() : tools);
        echo.put("truncation", "disabled");
        return echo;
    }

    private static void refuseOddMetadata(JsonFields metadata) {
        if (metadata.entries().size() > MAX_METADATA) {
            throw ApiException.invalidValue("metadata",
                    "metadata takes at most " + MAX_METADATA + " entries, got " + metadata.entries().size());
        }
        for (Map.Entry<String, JsonNode> entry : metadata.entries()) {
            JsonFields.string(entry.getValue(), metadata.path(Quote.shorten(entry.getKey())));
        }
    }
}
