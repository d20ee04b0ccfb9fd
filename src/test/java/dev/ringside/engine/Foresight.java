package dev.ringside.engine;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Guesses that were learned from texts, right where texts do not contradict each other, and now and then wrong on purpose. */
final class Foresight implements DraftingModel.Guess {

    private final Map<Long, Integer> followers = new HashMap<>();
    private final int vocabulary;
    private final int wrongInTen;

    /** @param wrongInTen how many of ten guesses are wrong */
    Foresight(int vocabulary, int wrongInTen) {
        this.vocabulary = vocabulary;
        this.wrongInTen = wrongInTen;
    }

    /** Learns from a prompt and the text {@code w1 w2 ...} that followed. */
    void learn(int[] prompt, String text) {
        learn(prompt, Arrays.stream(text.split(" ")).filter(word -> !word.isEmpty()).mapToInt(word -> Integer.parseInt(word.substring(1)))
                .toArray());
    }

    void learn(int[] prompt, int[] tokens) {
        int position = prompt.length - 1;
        int token = prompt[position];
        for (int next : tokens) {
            followers.put(key(position++, token), next);
            token = next;
        }
    }

    private static long key(int position, int token) {
        return ((long) position << 32) + token;
    }

    @Override
    public int next(int position, int token) {
        long key = key(position, token);
        int known = followers.getOrDefault(key, 0);
        boolean wrong = Math.floorMod(key * 0x9E3779B97F4A7C15L >>> 40, 10) < wrongInTen;
        return wrong ? (known + 1) % vocabulary : known;
    }
}
