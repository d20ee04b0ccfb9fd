package dev.ringside.api;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A request to {@code /v1/responses}.
 *
 * @param chat the same as a chat
 * @param stream whether the answer comes as events
 * @param store whether the answer is kept
 * @param before the conversation that it continues, as stored; empty for none
 * @param input items of this request, in the form in which they are stored
 * @param echo fields of the request that the answer repeats
 */
record ResponsesRequest(ChatBody chat, boolean stream, boolean store, List<byte[]> before, List<JsonNode> input,
        Map<String, @Nullable Object> echo) {}
