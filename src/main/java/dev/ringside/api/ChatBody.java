package dev.ringside.api;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The chat request that a request in another dialect is translated to. Other dialects cut an assistant's turn into items; here they are put
 * together again: reasoning, text and calls that follow each other are one message.
 */
final class ChatBody {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final ObjectNode body = NODES.objectNode();
    private final ArrayNode messages = body.putArray("messages");
    private final ParamNames names = new ParamNames();
    private final Set<String> calls = new HashSet<>();
    private @Nullable ObjectNode turn;

    /** What refusals of the chat request are to be renamed with. */
    ParamNames names() {
        return names;
    }

    ObjectNode json() {
        return body;
    }

    /** Hands a field on as it is, when it is there. */
    void copy(JsonFields from, String field, String as) {
        JsonNode value = from.find(field);
        if (value != null) {
            set(as, value, from.path(field));
        }
    }

    void set(String field, JsonNode value, String original) {
        body.set(field, value);
        names.add(field, original);
    }

    /** A message of one of the roles that are not the assistant's. */
    void message(String role, String content, String path) {
        turn = null;
        add(role, path).put("content", content);
    }

    /** As {@link #message}, joined to the message before with a line break when that has the same role. */
    void joinMessage(String role, String content, String path) {
        turn = null;
        if (!messages.isEmpty() && messages.get(messages.size() - 1) instanceof ObjectNode last
                && role.equals(last.path("role").asString(""))) {
            last.put("content", last.path("content").asString("") + "\n" + content);
        } else {
            message(role, content, path);
        }
    }

    void reasoning(String text, String path) {
        ObjectNode open = turn;
        if (open == null || open.has("content") || open.has("tool_calls")) {
            open = begin(path);
        }
        open.put("reasoning_content", open.path("reasoning_content").asString("") + text);
    }

    void assistantText(String text, String path) {
        ObjectNode open = turn;
        if (open == null || open.has("tool_calls")) {
            open = begin(path);
        }
        open.put("content", open.path("content").asString("") + text);
    }

    void toolCall(String id, String name, JsonNode arguments, String path) {
        ObjectNode open = turn == null ? begin(path) : turn;
        ObjectNode call = (open.get("tool_calls") instanceof ArrayNode some ? some : open.putArray("tool_calls")).addObject();
        call.put("id", id).put("type", "function").putObject("function").put("name", name).set("arguments", arguments);
        calls.add(id);
    }

    /** @throws ApiException when no earlier call has this id */
    void toolOutput(String id, String output, String path, String idPath) {
        if (!calls.contains(id)) {
            throw ApiException.invalidValue(idPath, idPath + " '" + Quote.shorten(id) + "' is the id of no tool call before it");
        }
        turn = null;
        add("tool", path).put("tool_call_id", id).put("content", output);
    }

    boolean endsWithAssistant() {
        return turn != null;
    }

    /** Whether there is anything to answer. */
    boolean hasMessages() {
        return !messages.isEmpty();
    }

    private ObjectNode begin(String path) {
        ObjectNode begun = add("assistant", path);
        turn = begun;
        return begun;
    }

    private ObjectNode add(String role, String path) {
        names.add("messages[" + messages.size() + "]", path);
        return messages.addObject().put("role", role);
    }
}
