package dev.ringside.api;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A stream of named events, taken apart. */
record SseEvents(List<String> names, List<JsonNode> bodies) {

    static SseEvents of(HttpResponse<String> response) {
        List<String> names = new ArrayList<>();
        List<JsonNode> bodies = new ArrayList<>();
        for (String line : response.body().lines().toList()) {
            if (line.startsWith("event: ")) {
                names.add(line.substring("event: ".length()));
            } else if (line.startsWith("data: ")) {
                bodies.add(JsonMapper.shared().readTree(line.substring("data: ".length())));
            }
        }
        return new SseEvents(names, bodies);
    }

    JsonNode last() {
        return bodies.getLast();
    }

    /** The first event of a name. */
    JsonNode first(String name) {
        return bodies.get(names.indexOf(name));
    }

    /** A field of all events of a name, joined. */
    String joined(String name, String... path) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).equals(name)) {
                JsonNode value = bodies.get(i);
                for (String field : path) {
                    value = value.path(field);
                }
                text.append(value.asString(""));
            }
        }
        return text.toString();
    }
}
