package dev.ringside.sampling.grammar;

import java.util.Arrays;

/**
 * The tokens that have text, as a trie over their bytes in preorder: the children of node {@code n} begin at {@code n + 1}, and its last
 * descendant is the one before {@code end(n)}. Immutable.
 */
final class TokenTrie {

    static final int ROOT = 0;

    private final int vocabularySize;
    private final byte[] text;
    private final int[] textStart;
    private byte[] label = new byte[1024];
    private int[] end = new int[1024];
    private int[] depth = new int[1024];
    /** Sorted position of the first token that ends at a node; the tokens of node {@code n} lie between those of {@code n} and {@code n + 1}. */
    private int[] firstToken = new int[1024];
    private int[] tokens;
    private int nodes;
    private int maxDepth;

    TokenTrie(Vocabulary vocabulary) {
        vocabularySize = vocabulary.size();
        byte[][] bytes = new byte[vocabularySize][];
        textStart = new int[vocabularySize + 1];
        int plain = 0;
        for (int t = 0; t < vocabularySize; t++) {
            bytes[t] = vocabulary.control(t) || vocabulary.endsGeneration(t) ? new byte[0] : vocabulary.bytes(t);
            textStart[t + 1] = textStart[t] + bytes[t].length;
            plain += bytes[t].length > 0 ? 1 : 0;
        }
        text = new byte[textStart[vocabularySize]];
        Integer[] order = new Integer[plain];
        int at = 0;
        for (int t = 0; t < vocabularySize; t++) {
            System.arraycopy(bytes[t], 0, text, textStart[t], bytes[t].length);
            if (bytes[t].length > 0) {
                order[at++] = t;
            }
        }
        Arrays.sort(order, (a, b) -> Arrays.compareUnsigned(bytes[a], bytes[b]));
        tokens = new int[plain];
        build(order, bytes);
    }

    private void build(Integer[] order, byte[][] bytes) {
        int[] path = new int[16];
        int length = 0;
        byte[] previous = {};
        path[0] = newNode(0, 0, 0);
        for (int i = 0; i < order.length; i++) {
            byte[] current = bytes[order[i]];
            int common = i == 0 ? 0 : Arrays.mismatch(previous, current);
            common = common < 0 ? current.length : common;
            while (length > common) {
                end[path[length--]] = nodes;
            }
            if (current.length >= path.length) {
                path = Arrays.copyOf(path, 2 * current.length);
            }
            while (length < current.length) {
                int node = newNode(current[length], length + 1, i);
                path[++length] = node;
            }
            tokens[i] = order[i];
            previous = current;
        }
        while (length >= 0) {
            end[path[length--]] = nodes;
        }
        label = Arrays.copyOf(label, nodes);
        end = Arrays.copyOf(end, nodes);
        depth = Arrays.copyOf(depth, nodes);
        firstToken = Arrays.copyOf(firstToken, nodes + 1);
        firstToken[nodes] = order.length;
    }

    private int newNode(int b, int atDepth, int sortedToken) {
        if (nodes == label.length) {
            label = Arrays.copyOf(label, 2 * nodes);
            end = Arrays.copyOf(end, 2 * nodes);
            depth = Arrays.copyOf(depth, 2 * nodes);
            firstToken = Arrays.copyOf(firstToken, 2 * nodes);
        }
        label[nodes] = (byte) b;
        depth[nodes] = atDepth;
        firstToken[nodes] = sortedToken;
        maxDepth = Math.max(maxDepth, atDepth);
        return nodes++;
    }

    int vocabularySize() {
        return vocabularySize;
    }

    int words() {
        return vocabularySize + 63 >> 6;
    }

    /** Length of the longest token in bytes. */
    int maxDepth() {
        return maxDepth;
    }

    int label(int node) {
        return label[node] & 0xFF;
    }

    int end(int node) {
        return end[node];
    }

    int depth(int node) {
        return depth[node];
    }

    /** Number of bytes of a token's text, 0 for those that fit no text. */
    int length(int token) {
        return textStart[token + 1] - textStart[token];
    }

    int byteAt(int token, int index) {
        return text[textStart[token] + index] & 0xFF;
    }

    /** Sets the bits of the tokens whose text ends at a node. */
    void mark(int node, long[] mask) {
        for (int i = firstToken[node]; i < firstToken[node + 1]; i++) {
            mask[tokens[i] >> 6] |= 1L << tokens[i];
        }
    }

    /** Tokens whose text ends at a node are {@code token(i)} for {@code i} from {@code firstToken(node)} to {@code firstToken(node + 1)}. */
    int firstToken(int node) {
        return firstToken[node];
    }

    int token(int index) {
        return tokens[index];
    }
}
