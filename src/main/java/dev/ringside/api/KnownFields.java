package dev.ringside.api;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** The field names that one JSON object may have; any other is refused by name, because an answer that ignored it would be wrong without a sign. */
final class KnownFields {

    private final Set<String> names;

    private KnownFields(Set<String> names) {
        this.names = names;
    }

    static KnownFields of(String... names) {
        return new KnownFields(Set.of(names));
    }

    static KnownFields of(List<RequestField> fields) {
        return new KnownFields(fields.stream().map(RequestField::name).collect(Collectors.toUnmodifiableSet()));
    }

    Set<String> names() {
        return new TreeSet<>(names);
    }

    /** A name counts as present even with the value null, for what is misspelt is misspelt. */
    JsonFields check(JsonFields object) {
        for (Map.Entry<String, JsonNode> field : object.entries()) {
            if (!names.contains(field.getKey())) {
                String path = object.path(Quote.shorten(field.getKey()));
                throw ApiError.badRequest(path, "unknown_parameter", path + " is not known here; known are " + String.join(", ", names()))
                        .toException();
            }
        }
        return object;
    }
}
