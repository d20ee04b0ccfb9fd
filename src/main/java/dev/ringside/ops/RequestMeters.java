package dev.ringside.ops;

import dev.ringside.engine.Priority;
import dev.ringside.serving.RequestRecord;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Keeps the meters of requests, under OpenTelemetry's names and, if that is on, under vLLM's. */
public final class RequestMeters {

    private final MeterRegistry registry;
    private final String modelId;
    private final @Nullable VllmMeters vllm;
    private final Timer interval;
    private final Timer queuedInteractive;
    private final Timer queuedBatch;

    /** @param vllmNames whether vLLM's names are kept too */
    public RequestMeters(MeterRegistry registry, String modelId, boolean vllmNames) {
        this.registry = registry;
        this.modelId = modelId;
        this.vllm = vllmNames ? new VllmMeters(registry, modelId) : null;
        this.interval = timer(RequestMeter.INTERVAL).register(registry);
        this.queuedInteractive = queued(Priority.INTERACTIVE);
        this.queuedBatch = queued(Priority.BATCH);
    }

    private Timer queued(Priority priority) {
        return timer(RequestMeter.QUEUE).tag(RequestTags.QUEUE_PRIORITY, priority.name().toLowerCase(Locale.ROOT)).register(registry);
    }

    /** Tokens were generated; allocates nothing. */
    void tokens(int count, long nanos) {
        long each = nanos / Math.max(1, count);
        for (int i = 0; i < count; i++) {
            interval.record(each, TimeUnit.NANOSECONDS);
            if (vllm != null) {
                vllm.interval(each);
            }
        }
    }

    void ended(String operation, RequestRecord outcome) {
        Tags request = Tags.of(RequestTags.OPERATION, operation, RequestTags.PROVIDER, RequestTags.PROVIDER_NAME, RequestTags.REQUEST_MODEL,
                modelId, RequestTags.RESPONSE_MODEL, modelId);
        Tags all = request.and(RequestTags.ERROR, outcome.error() == null ? RequestTags.NO_ERROR : outcome.error());
        boolean token = outcome.firstTokenNanos() != RequestRecord.NO_TOKEN;
        if (token) {
            record(RequestMeter.FIRST_TOKEN, all, outcome.firstTokenNanos());
        }
        if (token && outcome.completionTokens() > 1) {
            record(RequestMeter.OUTPUT_TOKEN, all, (outcome.totalNanos() - outcome.firstTokenNanos()) / (outcome.completionTokens() - 1));
        }
        if (token || outcome.finish() != null) {
            usage(request, "input", outcome.promptTokens());
            usage(request, "output", outcome.completionTokens());
        }
        (outcome.priority() == Priority.BATCH ? queuedBatch : queuedInteractive).record(outcome.queuedNanos(), TimeUnit.NANOSECONDS);
        if (vllm != null) {
            vllm.ended(outcome);
        }
    }

    private void record(RequestMeter meter, Tags tags, long nanos) {
        timer(meter).tags(tags).register(registry).record(nanos, TimeUnit.NANOSECONDS);
    }

    private void usage(Tags request, String type, int tokens) {
        DistributionSummary.builder(RequestMeter.TOKENS.meterName()).description(RequestMeter.TOKENS.description())
                .serviceLevelObjectives(RequestMeter.TOKENS.buckets()).tags(request.and(RequestTags.TOKEN_TYPE, type)).register(registry)
                .record(tokens);
    }

    private static Timer.Builder timer(RequestMeter meter) {
        return timer(meter.meterName(), meter.description(), meter.buckets());
    }

    /** @param buckets upper bounds in seconds */
    static Timer.Builder timer(String name, String description, double... buckets) {
        return Timer.builder(name).description(description).serviceLevelObjectives(
                Arrays.stream(buckets).mapToObj(seconds -> Duration.ofNanos(Math.round(seconds * 1e9))).toArray(Duration[]::new));
    }
}
