package dev.ringside.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConversionFailedException;

/** Shows a value of the wrong kind, such as a word for a number, with what the setting takes. */
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
final class SettingTypeFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("ringside");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        ConversionFailedException conversion = findCause(cause, ConversionFailedException.class);
        ConfigurationPropertyName name = cause.getName();
        if (conversion == null || cause.getProperty() == null || !ROOT.isAncestorOf(name)) {
            return null;
        }
        String allowed = allowed(name.toString(), conversion);
        if (allowed == null) {
            return null;
        }
        String text = InvalidSettingFailureAnalyzer.text(name.toString(), cause.getProperty().getValue(), allowed);
        if (cause.getProperty().getOrigin() != null) {
            text += "%n    Origin: %s".formatted(cause.getProperty().getOrigin());
        }
        return new FailureAnalysis(text, InvalidSettingFailureAnalyzer.action(name.toString()), cause);
    }

    private @Nullable String allowed(String name, ConversionFailedException conversion) {
        Class<?> type = conversion.getTargetType().getType();
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants()).map(constant -> constant.toString().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", ", "one of ", ""));
        }
        // Our own converters say best what they take.
        String said = conversion.getCause() == null ? null : conversion.getCause().getMessage();
        return said != null && said.startsWith(name + ": ") ? said.substring(name.length() + 2) : SettingCatalog.load().describe(name);
    }
}
