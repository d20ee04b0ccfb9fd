package dev.ringside.sampling;

import java.util.Arrays;

/**
 * The distinct tokens of one request and how often each was generated: an open-addressing table, so that its size follows the text and
 * not the vocabulary, and penalties touch only the tokens seen.
 */
final class TokenHistory {

    private static final int FREE = -1;

    private int[] tokens = new int[64];
    private int[] generated = new int[64];
    private int size;

    TokenHistory() {
        Arrays.fill(tokens, FREE);
    }

    void addPrompt(int token) {
        slotOf(token);
    }

    void addGenerated(int token) {
        int slot = slotOf(token);
        generated[slot]++;
    }

    /** Changes the logits of every token seen; the repetition penalty first, as it scales what the others subtract from. */
    void penalize(float[] logits, float repetition, float presence, float frequency) {
        for (int slot = 0; slot < tokens.length; slot++) {
            int token = tokens[slot];
            if (token == FREE || token >= logits.length) {
                continue;
            }
            float logit = logits[token];
            logit = logit > 0 ? logit / repetition : logit * repetition;
            int count = generated[slot];
            if (count > 0) {
                logit -= presence + frequency * count;
            }
            logits[token] = logit;
        }
    }

    private int slotOf(int token) {
        int slot = find(tokens, token);
        if (tokens[slot] == token) {
            return slot;
        }
        if (2 * (size + 1) > tokens.length) {
            grow();
            slot = find(tokens, token);
        }
        tokens[slot] = token;
        size++;
        return slot;
    }

    private void grow() {
        int[] moved = new int[tokens.length * 2];
        int[] counts = new int[moved.length];
        Arrays.fill(moved, FREE);
        for (int old = 0; old < tokens.length; old++) {
            if (tokens[old] != FREE) {
                int slot = find(moved, tokens[old]);
                moved[slot] = tokens[old];
                counts[slot] = generated[old];
            }
        }
        tokens = moved;
        generated = counts;
    }

    /** The slot that holds the token, or the free one where it belongs. */
    private static int find(int[] table, int token) {
        int mask = table.length - 1;
        int slot = (token * 0x9E3779B9) >>> 7 & mask;
        while (table[slot] != FREE && table[slot] != token) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }
}
