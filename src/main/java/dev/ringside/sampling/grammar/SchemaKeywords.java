package dev.ringside.sampling.grammar;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The keywords of JSON Schema that are enforced, and those that say nothing about instances. All others are refused. */
final class SchemaKeywords {

    static final List<String> TYPES = List.of("null", "boolean", "integer", "number", "string", "array", "object");

    static final Set<String> FOR_STRINGS = Set.of("minLength", "maxLength", "pattern", "format");
    static final Set<String> FOR_NUMBERS = Set.of("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf");
    static final Set<String> FOR_ARRAYS = Set.of("items", "prefixItems", "minItems", "maxItems", "uniqueItems");
    static final Set<String> FOR_OBJECTS = Set.of("properties", "required", "additionalProperties", "minProperties");

    static final Set<String> GENERAL = Set.of("type", "nullable", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "$defs",
            "definitions");

    /** Say nothing about instances (Validation, section 9; Core, section 8), so that ignoring them is what they ask for. */
    static final Set<String> ANNOTATIONS = Set.of("title", "description", "default", "examples", "example", "$schema", "$id", "$comment",
            "deprecated",
            "readOnly", "writeOnly", "contentEncoding", "contentMediaType");

    /** Where OpenAPI's and other tools' own annotations begin. */
    static final String EXTENSION = "x-";

    private SchemaKeywords() {}

    /** All keywords that are enforced, sorted. */
    static Set<String> enforced() {
        Set<String> all = new TreeSet<>(GENERAL);
        all.addAll(FOR_STRINGS);
        all.addAll(FOR_NUMBERS);
        all.addAll(FOR_ARRAYS);
        all.addAll(FOR_OBJECTS);
        return all;
    }

    static boolean enforced(String keyword) {
        return GENERAL.contains(keyword) || FOR_STRINGS.contains(keyword) || FOR_NUMBERS.contains(keyword) || FOR_ARRAYS.contains(keyword)
                || FOR_OBJECTS.contains(keyword);
    }

    static boolean annotation(String keyword) {
        return ANNOTATIONS.contains(keyword) || keyword.startsWith(EXTENSION);
    }

    /** Whether a keyword restricts instances. */
    static boolean restricts(String keyword) {
        return enforced(keyword) && !keyword.equals("$defs") && !keyword.equals("definitions");
    }
}
