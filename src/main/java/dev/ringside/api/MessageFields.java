package dev.ringside.api;

import static dev.ringside.api.RequestField.refused;
import static dev.ringside.api.RequestField.supported;
import static dev.ringside.api.RequestField.withoutEffect;

import java.util.List;

/** Every field of {@code POST /v1/messages} that Anthropic knows, and the additions of this server. */
final class MessageFields {

    static final List<RequestField> ALL = List.of(
            supported("messages", "roles user, assistant, system; blocks text, thinking, tool_use, tool_result; the last one the user's"),
            supported("system", "a string or text blocks"),
            supported("model", "the served id, or absent"),
            supported("max_tokens", "required, but not by count_tokens"),
            supported("stop_sequences", "up to 16 strings"),
            supported("stream", "server-sent events"),
            supported("temperature", "0 to 2; 0 takes the most likely token"),
            supported("top_p", "greater than 0, up to 1"),
            supported("top_k", "0 is off"),
            supported("tools", "with input_schema; strict ones have their input enforced"),
            supported("tool_choice", "auto, any, tool, none; disable_parallel_tool_use allows one call per turn"),
            supported("thinking",
                    "enabled, adaptive or disabled, where the template can; budget_tokens has no effect; display omitted hides it"),
            supported("output_config", "format json_schema (enforced); effort goes to the template"),
            supported("service_tier", "auto, standard_only: the same"),
            supported("speed", "standard only"),
            supported("min_p", "addition: 0 to 1"),
            supported("presence_penalty", "addition: -2 to 2"),
            supported("frequency_penalty", "addition: -2 to 2"),
            supported("repetition_penalty", "addition: greater than 0, 1 is off"),
            supported("seed", "addition: the same seed and request give the same answer"),
            supported("logit_bias", "addition: token ids to -100 to 100"),
            supported("chat_template_kwargs", "addition: variables of the chat template, such as enable_thinking"),
            supported("priority", "addition: greater than 0 waits for the others"),
            supported("timeout", "addition: seconds the answer may take"),
            withoutEffect("metadata", "user_id: nothing is kept per user"),
            withoutEffect("cache_control", "prefixes are found without it, here and in blocks and tools"),
            refused("container", "no code runs here"),
            refused("context_management", "nothing of a conversation is dropped"),
            refused("diagnostics", "the log and the meters have them"),
            refused("inference_geo", "the server is where it is"),
            refused("mcp_servers", "the client calls its tools"),
            refused("user_profile_id", "nothing is kept per user"),
            refused("workspace_id", "there are no workspaces"));

    private MessageFields() {}
}
