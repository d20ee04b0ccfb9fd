package dev.ringside.sampling.grammar;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Arrays and objects of a schema. */
final class ContainerSchemas {

    /** No context holds that many items: a greater maximum is none. */
    private static final int MAX_ITEMS = 1_000_000;

    private final SchemaCompiler compiler;
    private final JsonRules json;

    ContainerSchemas(SchemaCompiler compiler, JsonRules json) {
        this.compiler = compiler;
        this.json = json;
    }

    Expr array(Schema schema) {
        if (schema.flag("uniqueItems")) {
            throw schema.error("uniqueItems", "it is not supported");
        }
        int min = schema.count("minItems", 0, Grammar.MAX_REPEAT);
        int max = StringSchemas.maximum(schema, "maxItems", MAX_ITEMS);
        if (max != Expr.UNBOUNDED && max > Grammar.MAX_REPEAT) {
            throw schema.error("maxItems", "at most " + Grammar.MAX_REPEAT + " is supported, found " + max);
        }
        if (min > max) {
            return Expr.NEVER;
        }
        List<Expr> prefix = new ArrayList<>();
        schema.schemas("prefixItems").forEach(item -> prefix.add(compiler.value(item)));
        Expr items = schema.has("items") ? compiler.value(schema.schema("items", schema.get("items"))) : json.anyValue();
        return json.array(prefix, items, min, max);
    }

    /**
     * An object with its properties in the order of the schema. Without {@code additionalProperties} others are left out where
     * {@code properties} is given: what comes out fits either way.
     */
    Expr object(Schema schema) {
        Map<String, Object> properties = new LinkedHashMap<>(schema.named("properties"));
        Set<String> required = new LinkedHashSet<>(schema.names("required"));
        Object additional = schema.has("additionalProperties")
                ? schema.schema("additionalProperties", schema.get("additionalProperties"))
                : true;
        for (String name : required) {
            if (!properties.containsKey(name)) {
                if (Boolean.FALSE.equals(additional)) {
                    throw schema.error("required", "it names " + name + ", which properties lacks and additionalProperties forbids");
                }
                properties.put(name, additional);
            }
        }
        refuseMinimum(schema, required.size());
        List<Expr.Member> members = new ArrayList<>();
        properties.forEach((name, value) -> members.add(
                new Expr.Member(json.member(Expr.literal(JsonConstants.quote(name)), compiler.value(value)), required.contains(name))));
        boolean closed = Boolean.FALSE.equals(additional) || !schema.has("additionalProperties") && schema.has("properties");
        Expr key = properties.isEmpty()
                ? JsonSyntax.ANY_STRING
                : Expr.sequence(Expr.literal("\""), new Expr.OtherKey(new LinkedHashSet<>(properties.keySet())));
        return json.object(members, closed ? null : json.member(key, compiler.value(additional)));
    }

    private static void refuseMinimum(Schema schema, int required) {
        BigDecimal min = schema.number("minProperties");
        if (min != null && min.compareTo(BigDecimal.valueOf(required)) > 0) {
            throw schema.error("minProperties", "at most the number of required properties is supported");
        }
    }
}
