package dev.ringside.api;

import dev.ringside.api.CompletionRequest.Prompt;
import dev.ringside.engine.GenerationRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import tools.jackson.databind.JsonNode;

/** Reads the body of {@code POST /v1/completions}. */
final class CompletionRequestParser {

    static final int MAX_PROMPTS = 16;
    static final int MAX_CHOICES = 64;
    static final int MAX_LOGPROBS = 5;

    private final GenerationOptionsParser options;
    private final int vocabularySize;

    CompletionRequestParser(GenerationOptionsParser options, int vocabularySize) {
        this.options = options;
        this.vocabularySize = vocabularySize;
    }

    CompletionRequest parse(JsonNode json) {
        JsonFields body = JsonFields.root(json);
        UnsupportedFields.refuse(body, CompletionFields.ALL);
        List<Prompt> prompts = prompts(body.require("prompt"));
        GenerationOptions common = options.parse(body).withLogprobs(logprobs(body));
        if (prompts.size() * common.choices() > MAX_CHOICES) {
            throw ApiException.invalidValue("n", "n times the number of prompts must be at most " + MAX_CHOICES + ", got "
                    + prompts.size() * common.choices());
        }
        refuseSelection(body, common.choices());
        return new CompletionRequest(prompts, echo(body), common);
    }

    private static int logprobs(JsonFields body) {
        OptionalLong top = body.integer("logprobs");
        if (top.isPresent() && (top.getAsLong() < 0 || top.getAsLong() > MAX_LOGPROBS)) {
            throw ApiException.invalidValue("logprobs", "logprobs must be between 0 and " + MAX_LOGPROBS + ", got " + top.getAsLong());
        }
        return top.isPresent() ? (int) top.getAsLong() : GenerationRequest.NO_LOGPROBS;
    }

    private static void refuseSelection(JsonFields body, int choices) {
        long candidates = body.integer("best_of").orElse(choices);
        if (candidates != choices) {
            throw ApiException.unsupported("best_of", "best_of must be " + choices + ", as many as n, got " + candidates
                    + ": the best of several is not chosen here");
        }
    }

    private static boolean echo(JsonFields body) {
        boolean echo = body.bool("echo", false);
        if (echo && body.find("logprobs") != null) {
            throw ApiException.unsupported("echo", "echo is not supported together with logprobs: those of the prompt are not computed");
        }
        return echo;
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
