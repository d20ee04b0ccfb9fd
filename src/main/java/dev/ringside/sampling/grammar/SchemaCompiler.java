package dev.ringside.sampling.grammar;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns a schema document into rules, one for each different schema in it, one after another so that depth doesn't matter. */
final class SchemaCompiler {

    private static final int MAX_RULES = 5_000;

    private final SchemaIndex index;
    private final SchemaFlattener flattener;
    private final TypedSchemas typed;
    private final Map<Object, Expr.Rule> rules = new HashMap<>();
    private final Deque<Pending> pending = new ArrayDeque<>();
    private final JsonRules json = new JsonRules();

    private record Pending(Map<?, ?> schema, Expr.Rule rule) {}

    private SchemaCompiler(Map<String, ?> root) {
        index = new SchemaIndex(root);
        flattener = new SchemaFlattener(index);
        typed = new TypedSchemas(this, json);
    }

    static Expr compile(Map<String, ?> root) {
        SchemaCompiler compiler = new SchemaCompiler(root);
        Expr value = compiler.value(root);
        while (!compiler.pending.isEmpty()) {
            Pending next = compiler.pending.remove();
            next.rule.define(compiler.body(next.schema));
        }
        return value;
    }

    /** What fits a schema: a reference to its rule. */
    Expr value(Object schema) {
        if (schema instanceof Boolean flag) {
            return flag ? json.anyValue() : Expr.NEVER;
        }
        Map<?, ?> map = (Map<?, ?>) schema;
        Expr.Rule rule = rules.get(map);
        if (rule == null) {
            if (rules.size() == MAX_RULES) {
                throw new UnsupportedSchemaException(index.path(map), "",
                        "the schema comes to more than " + MAX_RULES + " different parts");
            }
            rule = new Expr.Rule("schema " + index.path(map));
            rules.put(map, rule);
            pending.add(new Pending(map, rule));
        }
        return rule;
    }

    private Expr body(Map<?, ?> schema) {
        Object reference = flattener.onlyReference(schema);
        if (reference != null) {
            return value(reference);
        }
        SchemaFlattener.Flat flat = flattener.flatten(schema);
        if (flat == null) {
            return Expr.NEVER;
        }
        if (flat.choices().isEmpty()) {
            return typed.expr(flat.own());
        }
        List<Expr> branches = new ArrayList<>();
        for (Object branch : flat.choices().getFirst()) {
            branches.add(value(conjunction(flat, branch, schema)));
        }
        return new Expr.Choice(branches);
    }

    /** A branch of the first choice together with everything else the schema asks for. */
    private Object conjunction(SchemaFlattener.Flat flat, Object branch, Map<?, ?> origin) {
        List<Object> parts = new ArrayList<>();
        if (!flat.own().keywords().isEmpty()) {
            parts.add(derived(flat.own().keywords(), origin));
        }
        parts.add(branch);
        for (List<Object> other : flat.choices().subList(1, flat.choices().size())) {
            parts.add(derived(new LinkedHashMap<>(Map.of("anyOf", other)), origin));
        }
        return parts.size() == 1 ? branch : derived(new LinkedHashMap<>(Map.of("allOf", parts)), origin);
    }

    private Map<String, @Nullable Object> derived(Map<String, @Nullable Object> schema, Map<?, ?> origin) {
        index.derive(schema, origin);
        return schema;
    }
}
