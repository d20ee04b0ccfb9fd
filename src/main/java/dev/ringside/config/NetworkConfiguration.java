package dev.ringside.config;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.resources.LoopResources;

/** The threads that serve connections. */
@Configuration(proxyBeanMethods = false)
class NetworkConfiguration {

    /** As many as there are processors: more of them take turns in writing the tokens of one step (docs/performance.md). */
    @Bean
    ReactorResourceFactory reactorResourceFactory() {
        ReactorResourceFactory resources = new ReactorResourceFactory();
        resources.setUseGlobalResources(false);
        resources.setLoopResourcesSupplier(() -> LoopResources.create("ringside-http", Runtime.getRuntime().availableProcessors(), true));
        return resources;
    }
}
