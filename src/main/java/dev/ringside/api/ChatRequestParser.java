package dev.ringside.api;

import dev.ringside.chat.ChatMessage;
import dev.ringside.engine.GenerationRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the body of {@code POST /v1/chat/completions}. */
final class ChatRequestParser {

    static final int MAX_TOP_LOGPROBS = 20;

    private static final Set<String> EFFORTS = Set.of("none", "minimal", "low", "medium", "high", "xhigh");

    private final ChatMessageParser messages;
    private final GenerationOptionsParser options;
    private final ChatThinking thinking;

    ChatRequestParser(ChatMessageParser messages, GenerationOptionsParser options, ChatThinking thinking) {
        this.messages = messages;
        this.options = options;
        this.thinking = thinking;
    }

    ChatTurn parse(JsonNode json) {
        JsonFields body = JsonFields.root(json);
        UnsupportedFields.refuse(body, ChatFields.ALL);
        List<ChatMessage> conversation = messages.parse(body.require("messages"));
        GenerationOptions common = options.parse(body).withLogprobs(logprobs(body));
        return new ChatTurn(conversation, ChatToolsParser.parse(body), ChatResponseFormatParser.parse(body), variables(body), common);
    }

    private static int logprobs(JsonFields body) {
        boolean wanted = body.bool("logprobs", false);
        OptionalLong top = body.integer("top_logprobs");
        if (top.isPresent() && (top.getAsLong() < 0 || top.getAsLong() > MAX_TOP_LOGPROBS)) {
            throw ApiException.invalidValue("top_logprobs",
                    "top_logprobs must be between 0 and " + MAX_TOP_LOGPROBS + ", got " + top.getAsLong());
        }
        if (!wanted && top.orElse(0) > 0) {
            throw ApiException.invalidValue("top_logprobs", "top_logprobs is only allowed when logprobs is true");
        }
        return wanted ? (int) top.orElse(0) : GenerationRequest.NO_LOGPROBS;
    }

    private Map<String, @Nullable Object> variables(JsonFields body) {
        Map<String, @Nullable Object> variables = new LinkedHashMap<>();
        String effort = body.string("reasoning_effort");
        if (effort != null) {
            if (!EFFORTS.contains(effort)) {
                throw ApiException.invalidValue("reasoning_effort",
                        "reasoning_effort must be none, minimal, low, medium, high or xhigh, got '" + Quote.shorten(effort) + "'");
            }
            variables.put("reasoning_effort", effort);
            variables.putAll(thinking.variables(!effort.equals("none")));
        }
        JsonFields further = body.object("chat_template_kwargs");
        if (further != null) {
            for (Map.Entry<String, JsonNode> entry : further.entries()) {
                variables.put(entry.getKey(), JsonValues.of(entry.getValue()));
            }
        }
        return variables;
    }
}
