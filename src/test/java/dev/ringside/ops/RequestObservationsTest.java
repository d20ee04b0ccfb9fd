package dev.ringside.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.FinishReason;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.engine.Priority;
import dev.ringside.sampling.SamplingParameters;
import dev.ringside.serving.RequestObserver;
import dev.ringside.serving.RequestRecord;
import dev.ringside.serving.RequestScope;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.util.context.Context;

class RequestObservationsTest {

    private static final long MILLI = 1_000_000;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ObservationRegistry observations = ObservationRegistry.create();
    private final RequestObservations observer;

    RequestObservationsTest() {
        registry.config().meterFilter(new RequestBuckets());
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(registry));
        observer = new RequestObservations(observations, new RequestMeters(registry, "sample", true), "sample");
    }

    @Test
    void aCompleteRequestIsInEveryMeter() {
        serve(complete());

        String scraped = registry.scrape();
        assertThat(scraped).contains("gen_ai_server_request_duration_seconds_bucket{", "gen_ai_operation_name=\"chat\"",
                "gen_ai_provider_name=\"ringside\"", "gen_ai_request_model=\"sample\"", "error_type=\"none\"");
        assertThat(sum("gen_ai.server.time_to_first_token")).isEqualTo(0.3);
        assertThat(sum("gen_ai.server.time_per_output_token")).isEqualTo(0.05);
        assertThat(sum("ringside.requests.queue")).isEqualTo(0.1);
        assertThat(registry.get("gen_ai.client.token.usage").tag("gen_ai.token.type", "input").summary().totalAmount()).isEqualTo(12);
        assertThat(registry.get("gen_ai.client.token.usage").tag("gen_ai.token.type", "output").summary().totalAmount()).isEqualTo(5);
        assertThat(registry.get("ringside.tokens.interval").timer().count()).isEqualTo(4);
    }

    @Test
    void vllmsNamesAreWhatItsDashboardsLookFor() {
        serve(complete());
        new VllmGauges(new SampleViews().views()).bindTo(registry);

        assertThat(registry.scrape()).contains("vllm:num_requests_running{model_name=\"sample\"} 3.0",
                "vllm:num_requests_waiting{model_name=\"sample\"} 5.0", "vllm:kv_cache_usage_perc{model_name=\"sample\"} 0.04",
                "vllm:prompt_tokens_total{model_name=\"sample\"} 3855.0", "vllm:generation_tokens_total{model_name=\"sample\"} 666.0",
                "vllm:time_to_first_token_seconds_bucket{model_name=\"sample\",le=\"0.5\"} 1",
                "vllm:inter_token_latency_seconds_count{model_name=\"sample\"} 4",
                "vllm:request_success_total{finished_reason=\"stop\",model_name=\"sample\"} 1.0");
    }

    @Test
    void vllmsNamesCanBeSwitchedOff() {
        MeterRegistry plain = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new RequestMeters(plain, "sample", false).ended("chat", complete());

        assertThat(plain.getMeters()).extracting(meter -> meter.getId().getName()).noneMatch(name -> name.startsWith("vllm"));
    }

    @Test
    void aRefusalIsCountedByItsReasonAndHasNoTokens() {
        serve(new RequestRecord("r", null, Priority.BATCH, 12, 0, 0, 0, RequestRecord.NO_TOKEN, MILLI, null, "queue_full"));

        assertThat(registry.get("gen_ai.server.request.duration").tag("error.type", "queue_full").timer().count()).isEqualTo(1);
        assertThat(registry.find("gen_ai.client.token.usage").summary()).isNull();
        assertThat(registry.find("gen_ai.server.time_to_first_token").timer()).isNull();
    }

    @Test
    void theSpanHasNoTextAndBelongsToTheCall() {
        List<Observation.Context> stopped = new ArrayList<>();
        observations.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        Observation call = Observation.start("http.server.requests", observations);
        RequestScope scope = new RequestScope("call", "chat", () -> null, _ -> {
        });
        RequestObserver.Watch watch = observer.arrived(request(), scope.in(Context.of("micrometer.observation", call)));
        watch.ended(complete());

        Observation.Context span = stopped.getFirst();
        assertThat(span.getContextualName()).isEqualTo("chat sample");
        assertThat(span.getParentObservation()).isSameAs(call);
        assertThat(span.getHighCardinalityKeyValues()).extracting(pair -> pair.getKey() + "=" + pair.getValue()).containsExactlyInAnyOrder(
                "gen_ai.response.id=r1", "gen_ai.request.max_tokens=50", "gen_ai.request.temperature=0.0", "gen_ai.request.seed=0",
                "gen_ai.usage.input_tokens=12", "gen_ai.usage.output_tokens=5", "gen_ai.response.finish_reasons=stop");
    }

    @Test
    void everyMeterOfRequestsIsDocumented() throws IOException {
        serve(complete());
        StringBuilder table = new StringBuilder(
                "| meter | in Prometheus | kind | tags | what it records |\n| --- | --- | --- | --- | --- |\n");
        for (RequestMeter meter : RequestMeter.values()) {
            Meter registered = registry.find(meter.meterName()).meter();
            assertThat(registered).as(meter.meterName()).isNotNull();
            List<String> tags = registered.getId().getTags().stream().map(Tag::getKey).filter(key -> !key.equals("error")).toList();
            assertThat(tags).as(meter.meterName()).containsExactlyInAnyOrder(meter.tags());
            table.append("| `").append(meter.meterName()).append("` | `").append(meter.meterName().replace('.', '_'))
                    .append(meter.kind() == RequestMeter.Kind.TIMER ? "_seconds" : "").append("` | ")
                    .append(meter.kind().name().toLowerCase(Locale.ROOT)).append(" | ")
                    .append(String.join(", ", Arrays.stream(meter.tags()).map(tag -> '`' + tag + '`').toList())).append(" | ")
                    .append(meter.description()).append(" |\n");
        }

        assertThat(Files.readString(Path.of("docs/metrics.md"))).as("docs/metrics.md; replace its table with this one:%n%s", table)
                .contains(table);
    }

    private void serve(RequestRecord outcome) {
        RequestScope scope = new RequestScope("call", "chat", () -> null, _ -> {
        });
        RequestObserver.Watch watch = observer.arrived(request(), scope.in(Context.empty()));
        for (int i = 1; i < outcome.completionTokens(); i++) {
            watch.tokens(1, 50 * MILLI);
        }
        watch.ended(outcome);
    }

    private double sum(String timer) {
        return Math.round(registry.get(timer).timers().stream().mapToDouble(each -> each.totalTime(TimeUnit.SECONDS)).sum()
                * 1e6) / 1e6;
    }

    private static GenerationRequest request() {
        return new GenerationRequest("r1", new int[12], SamplingParameters.greedy(), 50, List.of(), false);
    }

    private static RequestRecord complete() {
        return new RequestRecord("r1", "team-a", Priority.INTERACTIVE, 12, 4, 5, 100 * MILLI, 300 * MILLI, 500 * MILLI, FinishReason.STOP,
                null);
    }
}
