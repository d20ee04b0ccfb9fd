package dev.ringside.sampling.grammar;

import java.util.Arrays;

/**
 * The tokens that can follow between two characters of a JSON string, worked out once per vocabulary: those that stay inside, by how many
 * characters they begin, and the trie nodes at which the closing quote comes, by how many characters come before. Immutable.
 */
final class StringTokens {

    private final long[] all;
    /** Tokens that stay inside, by the number of characters they begin. */
    private final int[] inside;
    private final int[] insideStart;
    private final int[] quoteNodes;
    private final int[] quoteCharacters;

    StringTokens(TokenTrie trie) {
        all = new long[trie.words()];
        int[] state = new int[trie.maxDepth() + 1];
        int[] begun = new int[trie.maxDepth() + 1];
        int[] tokens = new int[trie.vocabularySize()];
        int[] need = new int[trie.vocabularySize()];
        int found = 0;
        int[] nodes = new int[64];
        int[] before = new int[64];
        int quotes = 0;
        int end = trie.end(TokenTrie.ROOT);
        for (int node = 1; node < end;) {
            int depth = trie.depth(node);
            int b = trie.label(node);
            int from = state[depth - 1];
            if (from == JsonString.BOUNDARY && b == '"') {
                if (quotes == nodes.length) {
                    nodes = Arrays.copyOf(nodes, 2 * quotes);
                    before = Arrays.copyOf(before, 2 * quotes);
                }
                nodes[quotes] = node;
                before[quotes++] = begun[depth - 1];
                node = trie.end(node);
                continue;
            }
            int next = JsonString.next(from, b);
            if (next == JsonString.DEAD) {
                node = trie.end(node);
                continue;
            }
            state[depth] = next;
            begun[depth] = begun[depth - 1] + (from == JsonString.BOUNDARY ? 1 : 0);
            trie.mark(node, all);
            for (int i = trie.firstToken(node); i < trie.firstToken(node + 1); i++) {
                tokens[found] = trie.token(i);
                need[found++] = begun[depth];
            }
            node++;
        }
        quoteNodes = Arrays.copyOf(nodes, quotes);
        quoteCharacters = Arrays.copyOf(before, quotes);
        insideStart = new int[trie.maxDepth() + 2];
        for (int i = 0; i < found; i++) {
            insideStart[need[i] + 1]++;
        }
        for (int n = 1; n < insideStart.length; n++) {
            insideStart[n] += insideStart[n - 1];
        }
        int[] next = insideStart.clone();
        inside = new int[found];
        for (int i = 0; i < found; i++) {
            inside[next[need[i]]++] = tokens[i];
        }
    }

    /** Sets the bits of the tokens that stay inside the string and begin at most so many characters. */
    void markInside(int characters, long[] mask) {
        if (characters >= insideStart.length - 2) {
            for (int w = 0; w < mask.length; w++) {
                mask[w] |= all[w];
            }
            return;
        }
        for (int i = 0; i < insideStart[characters + 1]; i++) {
            mask[inside[i] >> 6] |= 1L << inside[i];
        }
    }

    int quotes() {
        return quoteNodes.length;
    }

    /** A trie node whose last byte is the closing quote. */
    int quoteNode(int index) {
        return quoteNodes[index];
    }

    /** Characters before that quote. */
    int quoteCharacters(int index) {
        return quoteCharacters[index];
    }
}
