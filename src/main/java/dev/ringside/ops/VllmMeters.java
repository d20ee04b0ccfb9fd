package dev.ringside.ops;

import dev.ringside.engine.FinishReason;
import dev.ringside.serving.RequestRecord;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * What requests come to under vLLM's names, labels and buckets: dashboards, gateways and autoscalers read these. {@link VllmGauges} has the
 * others.
 */
final class VllmMeters {

    static final String MODEL = "model_name";

    private static final double[] FIRST_TOKEN = {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20,
        40,
        80, 160, 640, 2560};
    private static final double[] INTER_TOKEN = {0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40,
        80};
    private static final double[] REQUEST = {0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680};
    private static final double[] TOKENS = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000};

    private final MeterRegistry registry;
    private final String modelId;
    private final Timer firstToken;
    private final Timer interval;
    private final Timer whole;
    private final Timer queue;
    private final Timer prefill;
    private final Timer decode;
    private final DistributionSummary promptTokens;
    private final DistributionSummary generationTokens;

    VllmMeters(MeterRegistry registry, String modelId) {
        this.registry = registry;
        this.modelId = modelId;
        this.firstToken = timer("vllm:time_to_first_token", FIRST_TOKEN);
        this.interval = timer("vllm:inter_token_latency", INTER_TOKEN);
        this.whole = timer("vllm:e2e_request_latency", REQUEST);
        this.queue = timer("vllm:request_queue_time", REQUEST);
        this.prefill = timer("vllm:request_prefill_time", REQUEST);
        this.decode = timer("vllm:request_decode_time", REQUEST);
        this.promptTokens = summary("vllm:request_prompt_tokens");
        this.generationTokens = summary("vllm:request_generation_tokens");
        for (FinishReason reason : FinishReason.values()) {
            success(reason);
        }
    }

    private Timer timer(String name, double[] buckets) {
        return RequestMeters.timer(name, "As vLLM has it", buckets).tag(MODEL, modelId).register(registry);
    }

    private DistributionSummary summary(String name) {
        return DistributionSummary.builder(name).description("As vLLM has it").serviceLevelObjectives(TOKENS).tag(MODEL, modelId)
                .register(registry);
    }

    private Counter success(FinishReason reason) {
        return Counter.builder("vllm:request_success").description("As vLLM has it").tag(MODEL, modelId)
                .tag("finished_reason", reason.name().toLowerCase(Locale.ROOT)).register(registry);
    }

    void interval(long nanos) {
        interval.record(nanos, TimeUnit.NANOSECONDS);
    }

    void ended(RequestRecord outcome) {
        if (outcome.finish() == null) {
            return;
        }
        success(outcome.finish()).increment();
        whole.record(outcome.totalNanos(), TimeUnit.NANOSECONDS);
        queue.record(outcome.queuedNanos(), TimeUnit.NANOSECONDS);
        promptTokens.record(outcome.promptTokens());
        generationTokens.record(outcome.completionTokens());
        if (outcome.firstTokenNanos() != RequestRecord.NO_TOKEN) {
            firstToken.record(outcome.firstTokenNanos(), TimeUnit.NANOSECONDS);
            prefill.record(outcome.firstTokenNanos() - outcome.queuedNanos(), TimeUnit.NANOSECONDS);
            decode.record(outcome.totalNanos() - outcome.firstTokenNanos(), TimeUnit.NANOSECONDS);
        }
    }
}
