package dev.ringside.ops;

import dev.ringside.sequence.StateSnapshot;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** The state of the server under vLLM's names: dashboards, gateways and autoscalers read these. */
public final class VllmGauges implements MeterBinder {

    private final EngineViews views;

    public VllmGauges(EngineViews views) {
        this.views = views;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gauge(registry, "vllm:num_requests_running", now -> now.scheduler().get().active());
        gauge(registry, "vllm:num_requests_waiting", now -> now.scheduler().get().queued() + now.scheduler().get().suspended());
        gauge(registry, "vllm:kv_cache_usage_perc", VllmGauges::usage);
        counter(registry, "vllm:prompt_tokens", now -> now.engine().get().promptTokens() + now.prefixes().get().tokensSaved());
        counter(registry, "vllm:generation_tokens", now -> now.engine().get().generatedTokens());
        counter(registry, "vllm:num_preemptions", now -> now.engine().get().suspensions());
        counter(registry, "vllm:prefix_cache_queries", now -> now.engine().get().promptTokens() + now.prefixes().get().tokensSaved());
        counter(registry, "vllm:prefix_cache_hits", now -> now.prefixes().get().tokensSaved());
    }

    private static double usage(EngineViews views) {
        StateSnapshot state = views.state().get();
        return state.bytesTotal() == 0 ? 0 : (double) state.bytesUsed() / state.bytesTotal();
    }

    private void gauge(MeterRegistry registry, String name, ToDoubleFunction<EngineViews> value) {
        Gauge.builder(name, views, value).description("As vLLM has it").tag(VllmMeters.MODEL, views.modelId()).strongReference(true)
                .register(registry);
    }

    private void counter(MeterRegistry registry, String name, ToDoubleFunction<EngineViews> value) {
        FunctionCounter.builder(name, views, value).description("As vLLM has it").tag(VllmMeters.MODEL, views.modelId()).register(registry);
    }
}
