package dev.ringside.ops;

import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Meters of requests: names, buckets and descriptions. Those that begin with {@code gen_ai} are OpenTelemetry's conventions for generative AI
 * (development status, 2026), with the buckets given there. Times are in seconds.
 */
enum RequestMeter {

    DURATION("gen_ai.server.request.duration", Kind.TIMER, Buckets.DURATION, RequestTags.REQUEST,
            "From the arrival of a request to its end"),
    FIRST_TOKEN("gen_ai.server.time_to_first_token", Kind.TIMER, Buckets.FIRST_TOKEN, RequestTags.REQUEST,
            "From the arrival of a request to its first token"),
    OUTPUT_TOKEN("gen_ai.server.time_per_output_token", Kind.TIMER, Buckets.OUTPUT_TOKEN, RequestTags.REQUEST,
            "Mean time between the tokens of a request behind the first"),
    TOKENS("gen_ai.client.token.usage", Kind.SUMMARY, Buckets.TOKENS, RequestTags.USAGE,
            "Tokens of a request: its prompt (input) and its answer (output)"),
    QUEUE("ringside.requests.queue", Kind.TIMER, Buckets.FIRST_TOKEN, RequestTags.PRIORITY,
            "From the arrival of a request to its first row computed, or to its end"),
    INTERVAL("ringside.tokens.interval", Kind.TIMER, Buckets.INTER_TOKEN, RequestTags.NONE,
            "Between two tokens of a request, over all requests");

    /** What a meter records. */
    enum Kind {
        /** Times. */
        TIMER,
        /** Amounts. */
        SUMMARY
    }

    private final String meterName;
    private final Kind kind;
    private final double[] buckets;
    private final String[] tags;
    private final String description;

    RequestMeter(String meterName, Kind kind, double[] buckets, String[] tags, String description) {
        this.meterName = meterName;
        this.kind = kind;
        this.buckets = buckets;
        this.tags = tags;
        this.description = description;
    }

    static @Nullable RequestMeter named(String name) {
        return Arrays.stream(values()).filter(meter -> meter.meterName.equals(name)).findFirst().orElse(null);
    }

    String meterName() {
        return meterName;
    }

    Kind kind() {
        return kind;
    }

    /** Upper bounds, in seconds or as they are. */
    double[] buckets() {
        return buckets.clone();
    }

    String[] tags() {
        return tags.clone();
    }

    String description() {
        return description;
    }

    /** Upper bounds. */
    static final class Buckets {

        static final double[] DURATION = IntStream.range(0, 14).mapToDouble(i -> (1 << i) / 100.0).toArray();
        static final double[] FIRST_TOKEN = {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10};
        static final double[] OUTPUT_TOKEN = {0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5};
        static final double[] TOKENS = LongStream.range(0, 14).mapToDouble(i -> 1L << 2 * i).toArray();
        // vLLM's, with some below: small models on fast devices take a millisecond.
        static final double[] INTER_TOKEN = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5,
            10};

        private Buckets() {}
    }
}
