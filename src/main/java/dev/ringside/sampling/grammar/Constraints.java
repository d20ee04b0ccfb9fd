package dev.ringside.sampling.grammar;

import dev.ringside.sampling.TokenConstraint;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Makes constraints for one vocabulary. Building it takes some tenths of a second for 150,000 tokens, so there is one per model; it is safe for use
 * by many threads.
 */
public final class Constraints {

    private static final float LOAD_FACTOR = 0.75f;

    private final VocabularyIndex vocabulary;
    private final Map<Object, CompiledGrammar> recent;

    private Constraints(VocabularyIndex vocabulary, int remembered) {
        this.vocabulary = vocabulary;
        recent = new LinkedHashMap<>(16, LOAD_FACTOR, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Object, CompiledGrammar> eldest) {
                return size() > remembered;
            }
        };
    }

    /** Remembers the 32 grammars used last in {@link #compiled}. */
    public static Constraints over(Vocabulary vocabulary) {
        return over(vocabulary, 32);
    }

    /** @param remembered grammars kept for {@link #compiled}; each may hold some megabytes of masks */
    public static Constraints over(Vocabulary vocabulary, int remembered) {
        return new Constraints(new VocabularyIndex(vocabulary), remembered);
    }

    /** @throws GrammarException when the grammar is too large, left-recursive or fits no finite text */
    public CompiledGrammar compile(Grammar grammar) {
        return new CompiledGrammar(grammar.expr(), vocabulary);
    }

    /**
     * The compiled grammar of a key, out of those used last or made now. Requests that repeat a schema or a set of tools then find their masks
     * ready.
     *
     * @param key whatever the grammar is made from, such as the schema's map: a value with {@code equals} that nobody changes any more
     * @throws GrammarException as {@code grammar} or {@link #compile} throw it; nothing is remembered then
     */
    public CompiledGrammar compiled(Object key, Supplier<Grammar> grammar) {
        synchronized (recent) {
            CompiledGrammar known = recent.get(key);
            if (known != null) {
                return known;
            }
        }
        CompiledGrammar made = compile(grammar.get());
        synchronized (recent) {
            CompiledGrammar raced = recent.putIfAbsent(key, made);
            return raced == null ? made : raced;
        }
    }

    /** A constraint for one generation that fits a grammar as a whole. */
    public TokenConstraint of(Grammar grammar) {
        return compile(grammar).newConstraint();
    }

    /** As {@link #of}, for {@link Grammar#triggered}. */
    public TokenConstraint triggered(String trigger, Grammar grammar) {
        return of(Grammar.triggered(trigger, grammar, Grammar.UNBOUNDED));
    }
}
