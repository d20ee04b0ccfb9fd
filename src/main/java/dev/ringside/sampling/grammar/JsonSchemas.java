package dev.ringside.sampling.grammar;

import java.util.Map;

/**
 * JSON Schema (draft 2020-12) as grammars. Whatever text fits the grammar is a JSON document that is valid against the schema; the reverse is not
 * promised: properties come in the order of the schema, whitespace is bounded, numbers have at most 20 digits on either side of the point.
 * Which keywords are supported is in {@code docs/api.md}; any other, besides annotations, is refused by name.
 */
public final class JsonSchemas {

    private JsonSchemas() {}

    /**
     * @param schema plain values: {@code Map}, {@code List}, {@code String}, {@code Number}, {@code Boolean} and {@code null}; not to be changed
     *            while this runs
     * @throws UnsupportedSchemaException naming the JSON pointer and keyword of what is malformed or can't be enforced
     * @throws GrammarException on {@link Constraints#compile}, when no document fits or the schema is too large
     */
    public static Grammar compile(Map<String, ?> schema) {
        return new Grammar(SchemaCompiler.compile(schema));
    }
}
