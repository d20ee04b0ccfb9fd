package dev.ringside.config;

import dev.ringside.api.ActiveRequests;
import dev.ringside.api.ApiKey;
import dev.ringside.api.ApiSettings;
import dev.ringside.api.CorsSettings;
import dev.ringside.api.Generator;
import dev.ringside.api.ResponseStoreSettings;
import dev.ringside.ops.EngineViews;
import dev.ringside.ops.ExpertMapView;
import dev.ringside.ops.ExpertOperations;
import dev.ringside.serving.RequestScheduler;
import dev.ringside.serving.Watchdog;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

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
    ApiSettings apiSettings(RingsideProperties settings, EngineRuntime runtime, ModelIdentity identity, WebEndpointProperties endpoints,
            Environment environment) {
        String health = endpoints.getBasePath() + "/" + endpoints.getPathMapping().getOrDefault("health", "health");
        RingsideProperties.Api api = settings.api();
        return new ApiSettings(identity.id(), identity.created(), runtime.contextLength(), runtime.engine().vocabularySize(),
                FileSampling.of(runtime.file().metadata()), ApiKey.parseAll(api.keys(), api.adminKeys()),
                openPaths(health, endpoints.getBasePath(), environment),
                Math.toIntExact(api.maxBodyBytes().toBytes()), api.bodyTimeout(), api.sseCommentInterval(), identity.fingerprint(),
                new CorsSettings(api.cors().allowedOrigins(), api.cors().maxAge()),
                new ResponseStoreSettings(api.storedResponses().memoryBytes().toBytes(), api.storedResponses().ttl()));
    }

    @Bean
    ActiveRequests activeRequests(RequestScheduler scheduler) {
        return new ScheduledRequests(scheduler);
    }

    @Bean
    ExpertMapView expertMapView(EngineRuntime runtime) {
        return runtime.loaded()::expertMap;
    }

    @Bean
    ExpertOperations expertOperations(EngineRuntime runtime) {
        return new EngineExperts(runtime.loaded().experts(), runtime.engine());
    }

    /** What needs no key. On a port of its own Actuator needs none: who may reach that is decided by the network, and scrapers have no keys. */
    private static List<String> openPaths(String health, String actuator, Environment environment) {
        List<String> open = new ArrayList<>(
                List.of(health, health + "/**", "/health", "/v1/health", "/openapi.yaml", "/v1/openapi.yaml", "/", "/index.html",
                        "/console/*.*"));
        if (ManagementPortType.get(environment) == ManagementPortType.DIFFERENT) {
            open.add(actuator + "/**");
        }
        return List.copyOf(open);
    }

    @Bean
    EngineViews engineViews(EngineRuntime runtime, RequestScheduler scheduler, ModelIdentity identity, Watchdog watchdog) {
        return new EngineViews(identity.id(), runtime.loaded().model().info(), runtime.contextLength(), runtime.backend().device(),
                scheduler::isAccepting, runtime.backend()::memory, runtime.loaded()::expertSnapshot, runtime.pool()::snapshot,
                runtime.engine()::snapshot, scheduler::snapshot, runtime.engine()::prefixes, new EnginePrefixes(runtime.engine()),
                runtime.backend()::fault, watchdog);
    }
}
