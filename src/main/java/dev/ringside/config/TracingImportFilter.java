package dev.ringside.config;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/** Leaves tracing out of a start that has nowhere to send traces to: it would cost time at the start and with every request. */
final class TracingImportFilter implements AutoConfigurationImportFilter, EnvironmentAware {

    /** Where traces go. */
    static final String ENDPOINT = "management.opentelemetry.tracing.export.otlp.endpoint";

    private static final String TRACING = "org.springframework.boot.micrometer.tracing.";
    private static final String TELEMETRY = "org.springframework.boot.opentelemetry.";

    private @Nullable Environment environment;

    // Spring makes it by reflection, and calls this before it asks.
    @Override
    public void setEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override
    public boolean[] match(@Nullable String[] names, AutoConfigurationMetadata metadata) {
        boolean wanted = environment != null && environment.containsProperty(ENDPOINT);
        boolean[] taken = new boolean[names.length];
        for (int i = 0; i < names.length; i++) {
            String name = names[i];
            taken[i] = wanted || name == null || !name.startsWith(TRACING) && !name.startsWith(TELEMETRY);
        }
        return taken;
    }
}
