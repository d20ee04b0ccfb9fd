package dev.ringside.config;

import dev.ringside.api.ApiSettings;
import dev.ringside.api.Generator;
import dev.ringside.ops.EngineViews;
import dev.ringside.ops.ExpertMapView;
import dev.ringside.serving.RequestScheduler;
import java.util.List;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the HTTP interface and the operators' endpoints see of the engine. */
@Configuration(proxyBeanMethods = false)
class ViewsConfiguration {

    @Bean
    ModelIdentity modelIdentity(EngineRuntime runtime, RingsideProperties settings) {
        return ModelIdentity.of(settings.model().id(), runtime.loaded().model().info(), runtime.file(), runtime.backend().device());
    }

    @Bean
    Generator generator(RequestScheduler scheduler) {
        return scheduler::generate;
    }

    @Bean
    ApiSettings apiSettings(RingsideProperties settings, EngineRuntime runtime, ModelIdentity identity, WebEndpointProperties endpoints) {
        String health = endpoints.getBasePath() + "/" + endpoints.getPathMapping().getOrDefault("health", "health");
        RingsideProperties.Api api = settings.api();
        return new ApiSettings(identity.id(), identity.created(), runtime.contextLength(), runtime.engine().vocabularySize(),
                FileSampling.of(runtime.file().metadata()), api.keys(), List.of(health, health + "/**", "/", "/index.html", "/console/*.*"),
                Math.toIntExact(api.maxBodyBytes().toBytes()), api.bodyTimeout(), api.sseCommentInterval(), identity.fingerprint());
    }

    @Bean
    ExpertMapView expertMapView(EngineRuntime runtime) {
        return runtime.loaded()::expertMap;
    }

    @Bean
    EngineViews engineViews(EngineRuntime runtime, RequestScheduler scheduler, ModelIdentity identity) {
        return new EngineViews(identity.id(), runtime.loaded().model().info(), runtime.contextLength(), runtime.backend().device(),
                scheduler::isAccepting, runtime.backend()::memory, runtime.loaded()::expertSnapshot, runtime.pool()::snapshot,
                runtime.engine()::snapshot, scheduler::snapshot, runtime.engine()::prefixes, new EnginePrefixes(runtime.engine()));
    }
}
