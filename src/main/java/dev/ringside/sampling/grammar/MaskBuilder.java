package dev.ringside.sampling.grammar;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Works out which tokens fit a state. Places that few bytes lead on from are walked together through the vocabulary's trie. For wide places, such as
 * the inside of a string or a character class, the tokens that stay within the rule are kept ready, and only what comes behind its end is walked.
 */
final class MaskBuilder {

    /** From so many bytes on a place counts as wide. */
    private static final int WIDE = 20;
    private static final int MAX_WIDE_KNOWN = 48;
    /** Trie nodes and new places that one mask may take to build: some tenths of a second. Usual masks take a hundredth of it. */
    private static final long MAX_WORK = 12_000_000;

    private final Simulation simulation;
    private final VocabularyIndex vocabulary;
    private final TokenTrie trie;
    private final State[] path;
    private final Map<Integer, WideTokens> wide = new HashMap<>();
    private long visited;
    private long workLimit;

    MaskBuilder(Simulation simulation, VocabularyIndex vocabulary) {
        this.simulation = simulation;
        this.vocabulary = vocabulary;
        trie = vocabulary.trie;
        path = new State[trie.maxDepth() + 1];
    }

    Mask build(State state) {
        visited = 0;
        workLimit = simulation.work() + MAX_WORK;
        long[] words = new long[trie.words()];
        if (state.complete) {
            vocabulary.markEnds(words);
        }
        long[] narrow = new long[state.keys.length];
        Stack[] narrowStacks = new Stack[state.keys.length];
        int narrowCount = 0;
        for (int i = 0; i < state.keys.length; i++) {
            long key = state.keys[i];
            int q = Simulation.state(key);
            markControls(q, words);
            if (isString(q) && Simulation.stringState(key) == JsonString.BOUNDARY) {
                markString(key, state.stacks[i], words);
            } else if (!isString(q) && simulation.automaton().width(q) >= WIDE) {
                markWide(q, state.stacks[i], words);
            } else {
                narrow[narrowCount] = key;
                narrowStacks[narrowCount++] = state.stacks[i];
            }
        }
        if (narrowCount == state.keys.length) {
            walk(state, TokenTrie.ROOT, words);
        } else if (narrowCount > 0) {
            walk(simulation.part(Arrays.copyOf(narrow, narrowCount), Arrays.copyOf(narrowStacks, narrowCount)), TokenTrie.ROOT, words);
        }
        return Mask.of(words, vocabulary.size());
    }

    private boolean isString(int q) {
        return simulation.automaton().strings().any(q);
    }

    private void markControls(int q, long[] words) {
        EdgeTable tokens = simulation.automaton().tokens();
        for (int e = tokens.start()[q]; e < tokens.start()[q + 1]; e++) {
            words[tokens.first()[e] >> 6] |= 1L << tokens.first()[e];
        }
        int except = simulation.automaton().otherControls()[q];
        if (except != Automaton.NO_CONTROLS) {
            vocabulary.markControls(words, except);
        }
    }

    private void markString(long key, Stack stack, long[] words) {
        EdgeTable edges = simulation.automaton().strings();
        int edge = edges.start()[Simulation.state(key)];
        int characters = Simulation.stringCharacters(key);
        int missing = Math.max(0, edges.first()[edge] - characters);
        int left = edges.second()[edge] == Expr.UNBOUNDED ? Expr.UNBOUNDED : edges.second()[edge] - characters;
        StringTokens strings = vocabulary.strings;
        strings.markInside(left, words);
        State behind = simulation.at(edges.target()[edge], stack);
        for (int i = 0; i < strings.quotes(); i++) {
            if (strings.quoteCharacters(i) >= missing && strings.quoteCharacters(i) <= left) {
                trie.mark(strings.quoteNode(i), words);
                walk(behind, strings.quoteNode(i), words);
            }
        }
    }

    private void markWide(int q, Stack stack, long[] words) {
        WideTokens tokens = wide.get(q);
        if (tokens == null) {
            tokens = explore(q);
            if (wide.size() == MAX_WIDE_KNOWN) {
                wide.clear();
            }
            wide.put(q, tokens);
        }
        for (int w = 0; w < words.length; w++) {
            words[w] |= tokens.inside()[w];
        }
        if (stack.returns.length > 0) {
            State behind = simulation.behind(stack);
            for (int node : tokens.exits()) {
                walk(behind, node, words);
            }
        }
    }

    private WideTokens explore(int q) {
        long[] inside = new long[trie.words()];
        int[] exits = new int[64];
        int count = 0;
        requireAffordable();
        path[0] = simulation.part(new long[] {Simulation.key(q, 0)}, new Stack[] {Stack.BOTTOM});
        int end = trie.end(TokenTrie.ROOT);
        for (int node = 1; node < end;) {
            visited++;
            State next = simulation.next(path[trie.depth(node) - 1], trie.label(node));
            if (next.isDead()) {
                node = trie.end(node);
                continue;
            }
            trie.mark(node, inside);
            if (next.complete) {
                if (count == exits.length) {
                    exits = Arrays.copyOf(exits, 2 * count);
                }
                exits[count++] = node;
            }
            if ((visited & 0xFFF) == 0) {
                requireAffordable();
            }
            path[trie.depth(node)] = next;
            node = next.keys.length == 0 ? trie.end(node) : node + 1;
        }
        return new WideTokens(inside, Arrays.copyOf(exits, count));
    }

    /** Marks the tokens below a trie node whose remaining bytes fit a state. */
    private void walk(State state, int from, long[] words) {
        requireAffordable();
        path[trie.depth(from)] = state;
        int end = trie.end(from);
        for (int node = from + 1; node < end;) {
            visited++;
            State next = simulation.next(path[trie.depth(node) - 1], trie.label(node));
            if (next.isDead()) {
                node = trie.end(node);
                continue;
            }
            trie.mark(node, words);
            if ((visited & 0xFFF) == 0) {
                requireAffordable();
            }
            path[trie.depth(node)] = next;
            node = next.keys.length == 0 ? trie.end(node) : node + 1;
        }
    }

    private void requireAffordable() {
        if (simulation.work() + visited > workLimit) {
            throw new TooAmbiguousException(
                    "the grammar leaves so many ways open at one place that working out what may follow takes too long; "
                            + "rewrite nested repetitions and optional parts of its patterns");
        }
    }
}
