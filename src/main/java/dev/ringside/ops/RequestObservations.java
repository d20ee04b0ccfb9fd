package dev.ringside.ops;

import dev.ringside.engine.GenerationRequest;
import dev.ringside.serving.RequestObserver;
import dev.ringside.serving.RequestRecord;
import dev.ringside.serving.RequestScope;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
import reactor.util.context.ContextView;

/**
 * Observes every request: a timer and, where tracing is configured, a span below that of the HTTP call, with OpenTelemetry's names. Beside it, the
 * meters that {@link RequestMeters} keeps. No text of prompts or answers.
 */
public final class RequestObservations implements RequestObserver {

    private static final String DEFAULT_OPERATION = "text_completion";
    /** Where Micrometer keeps the observation of the HTTP call in Reactor's context. */
    private static final String CURRENT = "micrometer.observation";

    private final ObservationRegistry observations;
    private final RequestMeters meters;
    private final String modelId;

    public RequestObservations(ObservationRegistry observations, RequestMeters meters, String modelId) {
        this.observations = observations;
        this.meters = meters;
        this.modelId = modelId;
    }

    @Override
    public Watch arrived(GenerationRequest request, ContextView context) {
        RequestScope scope = RequestScope.of(context);
        String operation = scope == null ? DEFAULT_OPERATION : scope.operation();
        Observation observation = Observation.createNotStarted(RequestMeter.DURATION.meterName(), observations)
                .contextualName(operation + " " + modelId)
                .parentObservation(context.<Observation>getOrDefault(CURRENT, null))
                .lowCardinalityKeyValue(RequestTags.OPERATION, operation)
                .lowCardinalityKeyValue(RequestTags.PROVIDER, RequestTags.PROVIDER_NAME)
                .lowCardinalityKeyValue(RequestTags.REQUEST_MODEL, modelId)
                .lowCardinalityKeyValue(RequestTags.RESPONSE_MODEL, modelId)
                // Known at the end; named here because all series of a timer have the same tags.
                .lowCardinalityKeyValue(RequestTags.ERROR, RequestTags.NO_ERROR)
                .highCardinalityKeyValue("gen_ai.response.id", request.id())
                .highCardinalityKeyValue("gen_ai.request.max_tokens", Integer.toString(request.maxTokens()))
                .highCardinalityKeyValue("gen_ai.request.temperature", Float.toString(request.sampling().temperature()))
                .highCardinalityKeyValue("gen_ai.request.seed", Long.toString(request.sampling().seed()))
                .start();
        return new Running(observation, operation);
    }

    private final class Running implements Watch {

        private final Observation observation;
        private final String operation;

        Running(Observation observation, String operation) {
            this.observation = observation;
            this.operation = operation;
        }

        @Override
        public void tokens(int count, long nanos) {
            meters.tokens(count, nanos);
        }

        @Override
        public void ended(RequestRecord outcome) {
            observation.lowCardinalityKeyValue(RequestTags.ERROR, outcome.error() == null ? RequestTags.NO_ERROR : outcome.error())
                    .highCardinalityKeyValue(KeyValue.of("gen_ai.usage.input_tokens", Integer.toString(outcome.promptTokens())))
                    .highCardinalityKeyValue("gen_ai.usage.output_tokens", Integer.toString(outcome.completionTokens()));
            if (outcome.finish() != null) {
                observation.highCardinalityKeyValue("gen_ai.response.finish_reasons", outcome.finish().name().toLowerCase(Locale.ROOT));
            }
            observation.stop();
            meters.ended(operation, outcome);
        }
    }
}
