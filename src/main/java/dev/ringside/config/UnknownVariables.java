package dev.ringside.config;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Names in the environment that look like settings and are none. In files and on the command line such a name stops the start; here others
 * put names too (Kubernetes describes a service called ringside in variables RINGSIDE_*), so it is a warning.
 */
final class UnknownVariables {

    private static final Logger LOG = LoggerFactory.getLogger(UnknownVariables.class);
    private static final String VARIABLE_PREFIX = "RINGSIDE_";
    private static final String PROPERTY_PREFIX = "ringside.";
    private static final Set<String> NO_SETTINGS = Set.of("RINGSIDE_TESTDATA");

    private UnknownVariables() {}

    static void warn(Environment environment, SettingCatalog catalog) {
        if (!(environment instanceof ConfigurableEnvironment configurable) || catalog.names().isEmpty()) {
            return;
        }
        for (String name : find(configurable, catalog)) {
            String nearest = catalog.nearest(name.replace('_', '.').toLowerCase(Locale.ROOT));
            LOG.warn("{} is no setting of Ringside and has no effect{}", name, nearest == null ? "" : "; did you mean " + nearest + "?");
        }
    }

    static Set<String> find(ConfigurableEnvironment environment, SettingCatalog catalog) {
        Set<String> known = new TreeSet<>();
        for (String name : catalog.names()) {
            known.add(uniform(name));
        }
        Set<String> unknown = new TreeSet<>();
        for (String name : names(environment, StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)) {
            String upper = name.toUpperCase(Locale.ROOT);
            if (upper.startsWith(VARIABLE_PREFIX) && !upper.startsWith("RINGSIDE_SERVICE_") && !upper.startsWith("RINGSIDE_PORT")
                    && !NO_SETTINGS.contains(upper) && !isKnown(uniform(name), known)) {
                unknown.add(name);
            }
        }
        for (String name : names(environment, StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)) {
            if (name.startsWith(PROPERTY_PREFIX) && !name.startsWith("ringside.test.") && !isKnown(uniform(name), known)) {
                unknown.add(name);
            }
        }
        return unknown;
    }

    private static Set<String> names(ConfigurableEnvironment environment, String source) {
        PropertySource<?> found = environment.getPropertySources().get(source);
        return found instanceof MapPropertySource map ? Set.of(map.getPropertyNames()) : Set.<String>of();
    }

    private static boolean isKnown(String uniform, Set<String> known) {
        // Elements of lists have an index behind their name.
        return known.contains(uniform) || known.contains(withoutIndex(uniform));
    }

    private static String withoutIndex(String uniform) {
        int end = uniform.length();
        while (end > 0 && Character.isDigit(uniform.charAt(end - 1))) {
            end--;
        }
        return uniform.substring(0, end);
    }

    /** Spring's relaxed form: only letters and digits count. */
    private static String uniform(String name) {
        StringBuilder result = new StringBuilder(name.length());
        for (char c : name.toLowerCase(Locale.ROOT).toCharArray()) {
            if (Character.isLetterOrDigit(c)) {
                result.append(c);
            }
        }
        return result.toString();
    }
}
