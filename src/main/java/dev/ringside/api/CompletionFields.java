package dev.ringside.api;

import static dev.ringside.api.RequestField.refused;
import static dev.ringside.api.RequestField.supported;
import static dev.ringside.api.RequestField.withoutEffect;

import java.util.List;

/** Every field of {@code POST /v1/completions} that OpenAI knows, and the additions of comparable servers. */
final class CompletionFields {

    static final List<RequestField> ALL = List.of(
            supported("prompt", "a string, token ids, or an array of either"),
            supported("model", "the served id, or absent"),
            supported("max_tokens", "up to the end of the context without it"),
            supported("max_completion_tokens", "addition: the same"),
            supported("temperature", "0 to 2; 0 takes the most likely token"),
            supported("top_p", "greater than 0, up to 1"),
            supported("n", "1 to 16 choices per prompt; each has a seed of its own"),
            supported("best_of", "only as many as n"),
            supported("stop", "up to 16 strings"),
            supported("seed", "the same seed and request give the same answer"),
            supported("presence_penalty", "-2 to 2"),
            supported("frequency_penalty", "-2 to 2"),
            supported("logit_bias", "token ids to -100 to 100"),
            supported("logprobs", "0 to 5, in the shape of this endpoint"),
            supported("echo", "not together with logprobs: those of the prompt are not computed"),
            supported("stream", "server-sent events"),
            supported("stream_options", "include_usage; include_obfuscation has no effect"),
            supported("service_tier", "addition: as for chat completions"),
            supported("top_k", "addition: 0 is off"),
            supported("min_p", "addition: 0 to 1"),
            supported("repetition_penalty", "addition: greater than 0, 1 is off"),
            supported("repeat_penalty", "addition: older name of repetition_penalty"),
            supported("priority", "addition: greater than 0 waits for the others"),
            supported("timeout", "addition: seconds the answer may take"),
            withoutEffect("user", "nothing is kept per user"),
            refused("suffix", "this model is not asked to fill gaps"),
            refused("response_format", "use /v1/chat/completions"),
            refused("tools", "use /v1/chat/completions"),
            refused("grammar", "use response_format of /v1/chat/completions"),
            refused("json_schema", "use response_format of /v1/chat/completions"),
            refused("structured_outputs", "use response_format of /v1/chat/completions"),
            refused("guided_json", "use response_format of /v1/chat/completions"),
            refused("guided_regex", "use response_format of /v1/chat/completions"),
            refused("guided_grammar", "use response_format of /v1/chat/completions"),
            refused("guided_choice", "use response_format of /v1/chat/completions"));

    private CompletionFields() {}
}
