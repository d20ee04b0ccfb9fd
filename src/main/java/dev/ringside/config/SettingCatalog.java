package dev.ringside.config;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * All settings with their descriptions, as the build wrote them down from {@link RingsideProperties}: for messages. Empty where the
 * sources were compiled without Spring's annotation processor.
 */
final class SettingCatalog {

    static final String RESOURCE = "META-INF/spring-configuration-metadata.json";

    private final Map<String, String> descriptions;

    /** @param descriptions names and what they take */
    SettingCatalog(Map<String, String> descriptions) {
        this.descriptions = descriptions;
    }

    static SettingCatalog load() {
        Map<String, String> descriptions = new TreeMap<>();
        try {
            // Libraries bring files of this name too.
            var resources = SettingCatalog.class.getClassLoader().getResources(RESOURCE);
            while (resources.hasMoreElements()) {
                try (InputStream in = resources.nextElement().openStream()) {
                    read(in, descriptions);
                }
            }
        } catch (IOException _) {
            // Messages are then shorter.
        }
        return new SettingCatalog(descriptions);
    }

    private static void read(InputStream in, Map<String, String> descriptions) {
        for (JsonNode property : JsonMapper.shared().readTree(in).path("properties")) {
            String name = property.path("name").asString("");
            if (name.startsWith("ringside.")) {
                descriptions.put(name, property.path("description").asString("see config/application.yaml"));
            }
        }
    }

    @Nullable
    String describe(String property) {
        return descriptions.get(property);
    }

    Collection<String> names() {
        return descriptions.keySet();
    }

    /** The setting whose name is closest to a misspelt one, or null when none is close. */
    @Nullable
    String nearest(String property) {
        String best = null;
        int bestDistance = Math.max(3, property.length() / 4);
        for (String name : descriptions.keySet()) {
            int distance = distance(property, name);
            if (distance < bestDistance) {
                best = name;
                bestDistance = distance;
            }
        }
        return best;
    }

    /** Levenshtein's. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int above = row[j];
                row[j] = Math.min(Math.min(above, row[j - 1]) + 1, diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1));
                diagonal = above;
            }
        }
        return row[b.length()];
    }
}
