package dev.ringside.api;

import static dev.ringside.api.RequestField.refused;
import static dev.ringside.api.RequestField.supported;
import static dev.ringside.api.RequestField.withoutEffect;

import java.util.List;

/** Every field of {@code POST /v1/chat/completions} that OpenAI knows, and the additions of comparable servers. */
final class ChatFields {

    static final List<RequestField> ALL = List.of(
            supported("messages", "roles system, developer, user, assistant, tool; text parts"),
            supported("model", "the served id, or absent"),
            supported("max_completion_tokens", "up to the end of the context without it"),
            supported("max_tokens", "older name of max_completion_tokens"),
            supported("temperature", "0 to 2; 0 takes the most likely token"),
            supported("top_p", "greater than 0, up to 1"),
            supported("n", "1 to 16 choices; each has a seed of its own"),
            supported("stop", "up to 16 strings"),
            supported("seed", "the same seed and request give the same answer"),
            supported("presence_penalty", "-2 to 2"),
            supported("frequency_penalty", "-2 to 2"),
            supported("logit_bias", "token ids to -100 to 100"),
            supported("logprobs", "for every generated token, those of reasoning and tool calls included"),
            supported("top_logprobs", "0 to 20, with logprobs"),
            supported("response_format", "text, json_object, json_schema (enforced, strict or not)"),
            supported("tools", "functions; strict ones have their arguments enforced"),
            supported("tool_choice", "none, auto, required, a function by name, allowed_tools"),
            supported("parallel_tool_calls", "false allows one call per turn"),
            supported("stream", "server-sent events"),
            supported("stream_options", "include_usage; include_obfuscation has no effect"),
            supported("reasoning_effort", "none, minimal, low, medium, high, xhigh; none switches thinking off where the template can"),
            supported("service_tier", "flex waits for the others; auto, default, priority and scale do not"),
            supported("top_k", "addition: 0 is off"),
            supported("min_p", "addition: 0 to 1"),
            supported("repetition_penalty", "addition: greater than 0, 1 is off"),
            supported("repeat_penalty", "addition: older name of repetition_penalty"),
            supported("chat_template_kwargs", "addition: variables of the chat template, such as enable_thinking"),
            supported("priority", "addition: greater than 0 waits for the others"),
            supported("timeout", "addition: seconds the answer may take"),
            withoutEffect("user", "nothing is kept per user"),
            withoutEffect("safety_identifier", "nothing is kept per user"),
            withoutEffect("metadata", "nothing is stored"),
            withoutEffect("store", "nothing is stored"),
            withoutEffect("prompt_cache_key", "prefixes are found without it"),
            withoutEffect("prompt_cache_retention", "the operator sets how long prefixes are kept"),
            withoutEffect("prompt_cache_options", "the operator sets how prefixes are kept"),
            withoutEffect("prediction", "a hint for speed only"),
            refused("verbosity", "only medium, the default: ask for it in the messages"),
            refused("modalities", "only [\"text\"]: this model reads and writes text"),
            refused("audio", "this model reads and writes text"),
            refused("web_search_options", "the server does not search the web"),
            refused("moderation", "the server does not moderate"),
            refused("functions", "deprecated: use tools"),
            refused("function_call", "deprecated: use tool_choice"),
            refused("grammar", "use response_format"),
            refused("json_schema", "use response_format"),
            refused("structured_outputs", "use response_format"),
            refused("guided_json", "use response_format"),
            refused("guided_regex", "use response_format"),
            refused("guided_grammar", "use response_format"),
            refused("guided_choice", "use response_format"));

    private ChatFields() {}
}
