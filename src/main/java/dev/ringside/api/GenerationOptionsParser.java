package dev.ringside.api;

import dev.ringside.engine.GenerationRequest;
import dev.ringside.engine.Priority;
import dev.ringside.sampling.InvalidSamplingException;
import dev.ringside.sampling.SamplingParameters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the fields that chat and text completions share. */
final class GenerationOptionsParser {

    static final int MAX_CHOICES = 16;
    static final int MAX_STOPS = 16;
    static final int MAX_STOP_LENGTH = 1024;

    private static final double LONGEST_TIMEOUT_MILLIS = 1e12;

    private final String modelId;
    private final SamplingDefaults defaults;
    private final int vocabularySize;

    GenerationOptionsParser(String modelId, SamplingDefaults defaults, int vocabularySize) {
        this.modelId = modelId;
        this.defaults = defaults;
        this.vocabularySize = vocabularySize;
    }

    GenerationOptions parse(JsonFields body) {
        ModelNotFound.refuseOthers(body, modelId);
        boolean stream = body.bool("stream", false);
        String tier = body.string("service_tier");
        Priority priority = priority(body, tier);
        return new GenerationOptions(sampling(body), maxTokens(body), stop(body), stream, includeUsage(body, stream), choices(body),
                GenerationRequest.NO_LOGPROBS, priority, timeout(body),
                tier == null ? null : priority == Priority.BATCH ? "flex" : "default");
    }

    private static int choices(JsonFields body) {
        long n = body.integer("n").orElse(1);
        if (n < 1 || n > MAX_CHOICES) {
            throw ApiException.invalidValue("n", "n must be between 1 and " + MAX_CHOICES + ", got " + n);
        }
        return (int) n;
    }

    /** OpenAI's tiers and vLLM's number, of which smaller ones go first. */
    private static Priority priority(JsonFields body, @Nullable String tier) {
        boolean flex = switch (tier) {
            case null -> false;
            case "auto", "default", "priority", "scale" -> false;
            case "flex" -> true;
            default -> throw ApiException.invalidValue("service_tier",
                    "service_tier must be auto, default, flex, priority or scale, got '" + Quote.shorten(tier) + "'");
        };
        return flex || body.integer("priority").orElse(0) > 0 ? Priority.BATCH : Priority.INTERACTIVE;
    }

    private static @Nullable Duration timeout(JsonFields body) {
        OptionalDouble seconds = body.number("timeout");
        if (seconds.isEmpty()) {
            return null;
        }
        if (!(seconds.getAsDouble() > 0)) {
            throw ApiException.invalidValue("timeout", "timeout must be a number of seconds greater than 0, got " + seconds.getAsDouble());
        }
        return Duration.ofMillis((long) Math.clamp(seconds.getAsDouble() * 1000, 1, LONGEST_TIMEOUT_MILLIS));
    }

    private SamplingParameters sampling(JsonFields body) {
        float temperature = real(body, "temperature", defaults.temperature());
        float topP = real(body, "top_p", defaults.topP());
        int topK = topK(body);
        float minP = real(body, "min_p", defaults.minP());
        float presence = real(body, "presence_penalty", 0);
        float frequency = real(body, "frequency_penalty", 0);
        float repetition = real(body, "repetition_penalty", real(body, "repeat_penalty", defaults.repetitionPenalty()));
        OptionalLong seed = body.integer("seed");
        Map<Integer, Float> bias = logitBias(body);
        try {
            return new SamplingParameters(temperature, topP, topK, minP, presence, frequency, repetition,
                    seed.isPresent() ? seed.getAsLong() : ThreadLocalRandom.current().nextLong(), bias);
        } catch (InvalidSamplingException e) {
            throw ApiException.invalidValue(e.parameter(), String.valueOf(e.getMessage()));
        }
    }

    private static float real(JsonFields body, String field, float fallback) {
        return (float) body.number(field).orElse(fallback);
    }

    private int topK(JsonFields body) {
        long topK = body.integer("top_k").orElse(defaults.topK());
        // More than every token is every token; what is negative is refused by name further on.
        return (int) Math.clamp(topK, -1, Integer.MAX_VALUE);
    }

    private Map<Integer, Float> logitBias(JsonFields body) {
        JsonFields bias = body.object("logit_bias");
        if (bias == null) {
            return Map.of();
        }
        Map<Integer, Float> result = new HashMap<>();
        for (Map.Entry<String, JsonNode> entry : bias.entries()) {
            int token = token(entry.getKey());
            double value = JsonFields.number(entry.getValue(), bias.path(entry.getKey()));
            if (value < -100 || value > 100) {
                throw ApiException.invalidValue("logit_bias",
                        "logit_bias must be between -100 and 100, got " + value + " for token " + token);
            }
            result.put(token, (float) value);
        }
        return result;
    }

    private int token(String key) {
        int token = -1;
        try {
            token = Integer.parseInt(key);
        } catch (NumberFormatException _) {
            // Refused below, with its text.
        }
        if (token < 0 || token >= vocabularySize || !Integer.toString(token).equals(key)) {
            throw ApiException.invalidValue("logit_bias", "logit_bias keys must be token ids from 0 to " + (vocabularySize - 1) + ", got \""
                    + Quote.shorten(key) + "\"");
        }
        return token;
    }

    private static OptionalInt maxTokens(JsonFields body) {
        OptionalLong current = body.integer("max_completion_tokens");
        OptionalLong former = body.integer("max_tokens");
        String field = current.isPresent() ? "max_completion_tokens" : "max_tokens";
        OptionalLong value = current.isPresent() ? current : former;
        if (value.isEmpty()) {
            return OptionalInt.empty();
        }
        if (value.getAsLong() < 1) {
            throw ApiException.invalidValue(field, field + " must be at least 1, got " + value.getAsLong());
        }
        return OptionalInt.of((int) Math.min(value.getAsLong(), Integer.MAX_VALUE));
    }

    private static List<String> stop(JsonFields body) {
        JsonNode value = body.find("stop");
        if (value == null) {
            return List.of();
        }
        if (value.isString()) {
            return List.of(stop(value, "stop"));
        }
        if (!value.isArray()) {
            throw ApiException.wrongType("stop", "a string or an array of strings", JsonFields.kind(value));
        }
        if (value.size() > MAX_STOPS) {
            throw ApiException.invalidValue("stop", "stop takes at most " + MAX_STOPS + " strings, got " + value.size());
        }
        List<String> result = new ArrayList<>(value.size());
        for (int i = 0; i < value.size(); i++) {
            result.add(stop(value.get(i), "stop[" + i + "]"));
        }
        return result;
    }

    private static String stop(JsonNode value, String path) {
        String text = JsonFields.string(value, path);
        if (text.isEmpty() || text.length() > MAX_STOP_LENGTH) {
            throw ApiException.invalidValue(path, path + " must be 1 to " + MAX_STOP_LENGTH + " characters long, got " + text.length());
        }
        return text;
    }

    private static boolean includeUsage(JsonFields body, boolean stream) {
        @Nullable JsonFields options = body.object("stream_options");
        if (options == null) {
            return false;
        }
        boolean include = options.bool("include_usage", false);
        if (!stream) {
            throw ApiException.invalidValue("stream_options", "stream_options is only allowed when stream is true");
        }
        return include;
    }
}
