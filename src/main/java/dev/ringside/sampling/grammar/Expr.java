package dev.ringside.sampling.grammar;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a grammar is made of. */
sealed interface Expr {

    int UNBOUNDED = Integer.MAX_VALUE;

    Expr EMPTY = new Sequence(List.of());

    /** Fits nothing; what needs it is cut out of the automaton. */
    Expr NEVER = new Choice(List.of());

    /** The UTF-8 bytes of a text. */
    record Literal(String text) implements Expr {}

    /** One byte from a range, both ends included. */
    record ByteRange(int low, int high) implements Expr {}

    /** One character of a set, {@code quoted} when it stands in a JSON string and has to be escaped there. */
    record Chars(CodePoints set, boolean quoted) implements Expr {}

    record Sequence(List<Expr> parts) implements Expr {}

    record Choice(List<Expr> parts) implements Expr {}

    /** {@code max} may be {@link #UNBOUNDED}. */
    record Repeat(Expr body, int min, int max) implements Expr {}

    /** Steps in their order, of which those from {@code min} on may be left off, from the end. */
    record Chain(List<Expr> steps, int min) implements Expr {}

    /** Members of an object in their order, then any number of {@code extra} ones, with {@code comma} between any two. */
    record Members(List<Member> members, Expr comma, @Nullable Expr extra) implements Expr {}

    record Member(Expr body, boolean required) {}

    /** What follows the opening quote of a JSON string, closing quote included: {@code min} to {@code max} code points. */
    record StringBody(int min, int max) implements Expr {}

    /** What follows the opening quote of a key that is none of these names, closing quote included. */
    record OtherKey(Set<String> names) implements Expr {}

    /** What fits the body with {@code min} to {@code max} characters; the body is made of characters only. */
    record Counted(Expr body, int min, int max) implements Expr {}

    /** The control token with this text, or the text where the vocabulary has none. */
    record Marker(String text) implements Expr {}

    /** Any text that ends with the first occurrence of the marker. */
    record Until(String marker) implements Expr {}

    /** Any text in which the marker doesn't occur. */
    record Without(String marker) implements Expr {}

    /** A part with a name that others refer to; may refer to itself. The body is set once. */
    final class Rule implements Expr {

        private final String name;
        private @Nullable Expr body;

        Rule(String name) {
            this.name = name;
        }

        Rule(String name, Expr body) {
            this.name = name;
            this.body = body;
        }

        String name() {
            return name;
        }

        void define(Expr definition) {
            if (body != null) {
                throw new IllegalStateException("rule " + name + " is defined twice");
            }
            body = definition;
        }

        Expr body() {
            if (body == null) {
                throw new GrammarException("rule " + name + " is not defined");
            }
            return body;
        }
    }

    static Expr sequence(Expr... parts) {
        return new Sequence(List.of(parts));
    }

    static Expr choice(Expr... parts) {
        return new Choice(List.of(parts));
    }

    static Expr optional(Expr body) {
        return new Repeat(body, 0, 1);
    }

    static Expr literal(String text) {
        return new Literal(text);
    }
}
