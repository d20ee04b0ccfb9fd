package dev.ringside.api;

import dev.ringside.api.CompletionRequest.Prompt;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Reads the body of {@code POST /v1/completions}. */
final class CompletionRequestParser {

    static final int MAX_PROMPTS = 16;

    private final GenerationOptionsParser options;
    private final int vocabularySize;

    CompletionRequestParser(GenerationOptionsParser options, int vocabularySize) {
        this.options = options;
        this.vocabularySize = vocabularySize;
    }

    CompletionRequest parse(JsonNode json) {
        JsonFields body = JsonFields.root(json);
        UnsupportedFields.refuseInCompletion(body);
        return new CompletionRequest(prompts(body.require("prompt")), options.parse(body));
    }

    private List<Prompt> prompts(JsonNode prompt) {
        if (prompt.isString()) {
            return List.of(new CompletionRequest.Text(prompt.stringValue(), "prompt"));
        }
        if (!prompt.isArray()) {
            throw ApiException.wrongType("prompt", "a string, an array of token ids, or an array of either", JsonFields.kind(prompt));
        }
        if (prompt.isEmpty()) {
            throw ApiException.invalidValue("prompt", "prompt must not be empty");
        }
        if (prompt.get(0).isNumber()) {
            return List.of(tokens(prompt, "prompt"));
        }
        if (prompt.size() > MAX_PROMPTS) {
            throw ApiException.invalidValue("prompt", "prompt takes at most " + MAX_PROMPTS + " texts, got " + prompt.size());
        }
        List<Prompt> prompts = new ArrayList<>(prompt.size());
        for (int i = 0; i < prompt.size(); i++) {
            prompts.add(one(prompt.get(i), "prompt[" + i + "]"));
        }
        return prompts;
    }

    private Prompt one(JsonNode prompt, String path) {
        if (prompt.isString()) {
            return new CompletionRequest.Text(prompt.stringValue(), path);
        }
        if (prompt.isArray()) {
            return tokens(prompt, path);
        }
        throw ApiException.wrongType(path, "a string or an array of token ids", JsonFields.kind(prompt));
    }

    private CompletionRequest.Tokens tokens(JsonNode array, String path) {
        if (array.isEmpty()) {
            throw ApiException.invalidValue(path, path + " must not be empty");
        }
        int[] ids = new int[array.size()];
        for (int i = 0; i < ids.length; i++) {
            String at = path + "[" + i + "]";
            long id = JsonFields.integer(array.get(i), at);
            if (id < 0 || id >= vocabularySize) {
                throw ApiException.invalidValue(at, at + " must be a token id from 0 to " + (vocabularySize - 1) + ", got " + id);
            }
            ids[i] = (int) id;
        }
        return new CompletionRequest.Tokens(ids);
    }
}
