package dev.ringside.config;

import java.util.Locale;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;

/** Shows every number that is out of range under the name its setting has in files. */
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
final class SettingRangeFailureAnalyzer extends AbstractFailureAnalyzer<BindValidationException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindValidationException cause) {
        String prefix = cause.getValidationErrors().getName().toString();
        if (!prefix.startsWith("ringside")) {
            return null;
        }
        StringJoiner text = new StringJoiner("%n%n".formatted());
        for (ObjectError error : cause.getValidationErrors()) {
            if (error instanceof FieldError field) {
                text.add(InvalidSettingFailureAnalyzer.text(prefix + "." + kebab(field.getField()),
                        Objects.requireNonNullElse(field.getRejectedValue(), ""), String.valueOf(field.getDefaultMessage())));
            }
        }
        return text.length() == 0 ? null : new FailureAnalysis(text.toString(), InvalidSettingFailureAnalyzer.action("the setting"), cause);
    }

    /** {@code scheduler.maxActive} as {@code scheduler.max-active}. */
    private static String kebab(String field) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (Character.isUpperCase(c)) {
                name.append('-');
            }
            name.append(c);
        }
        return name.toString().toLowerCase(Locale.ROOT);
    }
}
