package dev.ringside.sampling.grammar;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A schema document: checks its size, knows the JSON pointer of every part, and follows references. */
final class SchemaIndex {

    static final int MAX_DEPTH = 100;
    static final int MAX_VALUES = 50_000;

    private final Map<String, ?> root;
    private final IdentityHashMap<Object, String> paths = new IdentityHashMap<>();

    private record Part(@Nullable Object value, String path, int depth) {}

    SchemaIndex(Map<String, ?> root) {
        this.root = root;
        Deque<Part> waiting = new ArrayDeque<>();
        waiting.add(new Part(root, "#", 0));
        int values = 0;
        while (!waiting.isEmpty()) {
            Part part = waiting.removeLast();
            if (++values > MAX_VALUES) {
                throw new UnsupportedSchemaException("#", "", "it has more than " + MAX_VALUES + " values");
            }
            if (part.depth > MAX_DEPTH) {
                throw new UnsupportedSchemaException(shortened(part.path), "", "it is nested more than " + MAX_DEPTH + " deep");
            }
            visit(part, waiting);
        }
    }

    private void visit(Part part, Deque<Part> waiting) {
        switch (part.value) {
            case null -> {
            }
            case Map<?, ?> map -> {
                paths.putIfAbsent(map, part.path);
                map.forEach((key, value) -> {
                    if (!(key instanceof String name)) {
                        throw new UnsupportedSchemaException(part.path, "", "a key is no string");
                    }
                    requireWhole(name, part.path);
                    waiting.add(new Part(value, part.path + "/" + escape(name), part.depth + 1));
                });
            }
            case List<?> list -> {
                for (int i = 0; i < list.size(); i++) {
                    waiting.add(new Part(list.get(i), part.path + "/" + i, part.depth + 1));
                }
            }
            case String text -> requireWhole(text, part.path);
            case Number number -> JsonConstants.decimal(number, part.path);
            case Boolean flag -> {
            }
            default -> throw new UnsupportedSchemaException(part.path, "", "a " + part.value.getClass().getName() + " is no JSON value");
        }
    }

    private static void requireWhole(String text, String path) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (Character.isLowSurrogate(c) || i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    throw new UnsupportedSchemaException(path, "", "a string holds half of a surrogate pair");
                }
                i++;
            }
        }
    }

    private static String escape(String key) {
        return key.replace("~", "~0").replace("/", "~1");
    }

    private static String shortened(String path) {
        return path.length() > 100 ? path.substring(0, 100) + "..." : path;
    }

    String path(Object schema) {
        return paths.getOrDefault(schema, "#");
    }

    /** Says that a schema made from another stands for it in messages. */
    void derive(Object made, Object from) {
        paths.putIfAbsent(made, path(from));
    }

    /** The schema that a reference in {@code from} means. */
    Object resolve(Map<?, ?> from, Object reference) {
        if (!(reference instanceof String text) || !text.startsWith("#")) {
            throw new UnsupportedSchemaException(path(from), "$ref",
                    "expected a reference within the schema such as #/$defs/name, found " + reference);
        }
        Object at = root;
        String pointer = decoded(text.substring(1), from);
        if (pointer.isEmpty()) {
            return at;
        }
        if (pointer.charAt(0) != '/') {
            throw new UnsupportedSchemaException(path(from), "$ref", "anchors are not supported, JSON pointers such as #/$defs/name are");
        }
        int start = 1;
        while (start <= pointer.length()) {
            int slash = pointer.indexOf('/', start);
            int end = slash < 0 ? pointer.length() : slash;
            String step = pointer.substring(start, end).replace("~1", "/").replace("~0", "~");
            at = step(at, step);
            if (at == null) {
                throw new UnsupportedSchemaException(path(from), "$ref", "there is nothing at " + text);
            }
            start = end + 1;
        }
        if (!(at instanceof Map) && !(at instanceof Boolean)) {
            throw new UnsupportedSchemaException(path(from), "$ref", "there is no schema at " + text);
        }
        return at;
    }

    private static @Nullable Object step(Object at, String step) {
        if (at instanceof Map<?, ?> map) {
            return map.get(step);
        }
        if (at instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                if (Integer.toString(i).equals(step)) {
                    return list.get(i);
                }
            }
        }
        return null;
    }

    /** Undoes percent-encoding (RFC 6901, section 6). */
    private String decoded(String fragment, Map<?, ?> from) {
        if (fragment.indexOf('%') < 0) {
            return fragment;
        }
        try {
            return URLDecoder.decode(fragment.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new UnsupportedSchemaException(path(from), "$ref", "#" + fragment + " is not percent-encoded properly");
        }
    }
}
