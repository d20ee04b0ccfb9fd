package dev.ringside.config;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Shows a refused value with its property and the values that are allowed. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidSettingFailureAnalyzer extends AbstractFailureAnalyzer<InvalidSettingException> {

    private final Environment environment;

    InvalidSettingFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidSettingException cause) {
        // As the user wrote it: 5ms rather than PT0.005S.
        String written = cause.secret() ? cause.value() : environment.getProperty(cause.property(), cause.value());
        return new FailureAnalysis(text(cause.property(), written, cause.allowed()), action(cause.property()), cause);
    }

    static String text(String property, Object value, String allowed) {
        return "A setting has a value that can't be used:%n%n    Property: %s%n    Value: \"%s\"%n    Allowed: %s".formatted(property,
                value, allowed);
    }

    static String action(String property) {
        return "Change " + property + " where it is set (config/application.yaml, an environment variable or the command line).";
    }
}
