package dev.ringside.sampling.grammar;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What fits a schema without references and combinations, type by type. */
final class TypedSchemas {

    private final JsonRules json;
    private final ContainerSchemas containers;

    TypedSchemas(SchemaCompiler compiler, JsonRules json) {
        this.json = json;
        containers = new ContainerSchemas(compiler, json);
    }

    Expr expr(Schema schema) {
        List<@Nullable Object> values = EnumValues.of(schema);
        if (values != null) {
            List<Expr> parts = new ArrayList<>();
            values.forEach(value -> parts.add(JsonConstants.expr(value, json, schema.path())));
            return new Expr.Choice(parts);
        }
        Set<String> types = types(schema);
        List<Expr> parts = new ArrayList<>();
        for (String type : types) {
            parts.add(switch (type) {
                case "null" -> JsonSyntax.NULL;
                case "boolean" -> JsonSyntax.BOOLEAN;
                case "integer" -> types.contains("number") ? Expr.NEVER : NumberSchemas.expr(schema, true);
                case "number" -> NumberSchemas.expr(schema, false);
                case "string" -> StringSchemas.expr(schema);
                case "array" -> containers.array(schema);
                default -> containers.object(schema);
            });
        }
        return parts.size() == 1 ? parts.getFirst() : new Expr.Choice(parts);
    }

    /** Types of the keyword; without it those that other keywords speak of; without any, all. */
    private static Set<String> types(Schema schema) {
        List<String> named = schema.types();
        if (named != null) {
            return new LinkedHashSet<>(named);
        }
        Set<String> types = new LinkedHashSet<>();
        for (String keyword : schema.keywords().keySet()) {
            if (SchemaKeywords.FOR_STRINGS.contains(keyword)) {
                types.add("string");
            } else if (SchemaKeywords.FOR_NUMBERS.contains(keyword)) {
                types.add("number");
            } else if (SchemaKeywords.FOR_ARRAYS.contains(keyword)) {
                types.add("array");
            } else if (SchemaKeywords.FOR_OBJECTS.contains(keyword)) {
                types.add("object");
            }
        }
        return types.isEmpty() ? new LinkedHashSet<>(SchemaKeywords.TYPES) : types;
    }
}
