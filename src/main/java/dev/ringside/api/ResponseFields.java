package dev.ringside.api;

import static dev.ringside.api.RequestField.refused;
import static dev.ringside.api.RequestField.supported;
import static dev.ringside.api.RequestField.withoutEffect;

import java.util.List;

/** Every field of {@code POST /v1/responses} that OpenAI knows, and the additions of this server. */
final class ResponseFields {

    static final List<RequestField> ALL = List.of(
            supported("input", "a string, or items: message, function_call, function_call_output, reasoning, item_reference"),
            supported("instructions", "a system message in front; not carried over by previous_response_id"),
            supported("model", "the served id, or absent"),
            supported("previous_response_id", "goes on from a stored response"),
            supported("store", "true by default; false keeps nothing"),
            supported("max_output_tokens", "up to the end of the context without it"),
            supported("temperature", "0 to 2; 0 takes the most likely token"),
            supported("top_p", "greater than 0, up to 1"),
            supported("tools", "functions; strict ones have their arguments enforced"),
            supported("tool_choice", "none, auto, required, a function by name, allowed_tools"),
            supported("parallel_tool_calls", "false allows one call per turn"),
            supported("text", "format text, json_object, json_schema (enforced); verbosity has no effect"),
            supported("reasoning", "effort; summary, generate_summary, context and mode have no effect: reasoning comes whole"),
            supported("stream", "server-sent events"),
            supported("stream_options", "include_obfuscation has no effect"),
            supported("metadata", "up to 16 strings, given back with the response"),
            supported("service_tier", "flex waits for the others; auto, default, priority and scale do not"),
            supported("include", "reasoning.encrypted_content has no effect, since reasoning comes in plain text; nothing else"),
            supported("truncation", "disabled only: nothing of a conversation is dropped"),
            supported("top_k", "addition: 0 is off"),
            supported("min_p", "addition: 0 to 1"),
            supported("presence_penalty", "addition: -2 to 2"),
            supported("frequency_penalty", "addition: -2 to 2"),
            supported("repetition_penalty", "addition: greater than 0, 1 is off"),
            supported("seed", "addition: the same seed and request give the same answer"),
            supported("stop", "addition: up to 16 strings"),
            supported("logit_bias", "addition: token ids to -100 to 100"),
            supported("chat_template_kwargs", "addition: variables of the chat template, such as enable_thinking"),
            supported("priority", "addition: greater than 0 waits for the others"),
            supported("timeout", "addition: seconds the answer may take"),
            withoutEffect("user", "nothing is kept per user"),
            withoutEffect("safety_identifier", "nothing is kept per user"),
            withoutEffect("prompt_cache_key", "prefixes are found without it"),
            withoutEffect("prompt_cache_retention", "the operator sets how long prefixes are kept"),
            withoutEffect("prompt_cache_options", "the operator sets how prefixes are kept"),
            refused("background", "an answer belongs to the connection that asked for it"),
            refused("context_management", "nothing of a conversation is dropped"),
            refused("conversation", "use previous_response_id"),
            refused("max_tool_calls", "it limits built-in tools, and there are none"),
            refused("moderation", "the server does not moderate"),
            refused("prompt", "prompts are not stored here"),
            refused("top_logprobs", "use /v1/chat/completions"));

    private ResponseFields() {}
}
