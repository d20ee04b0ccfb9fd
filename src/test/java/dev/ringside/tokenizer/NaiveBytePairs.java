package dev.ringside.tokenizer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The definition of byte-pair encoding, word for word and slow: the reference for long words of ASCII letters. */
final class NaiveBytePairs {

    private NaiveBytePairs() {}

    static int[] encode(String word, Tokenizer tokenizer, List<String> merges) {
        Map<String, Integer> ranks = new HashMap<>();
        for (int i = 0; i < merges.size(); i++) {
            ranks.putIfAbsent(merges.get(i), i);
        }
        List<String> parts = new ArrayList<>(word.chars().mapToObj(Character::toString).toList());
        while (true) {
            int best = -1;
            int bestRank = Integer.MAX_VALUE;
            for (int i = 0; i + 1 < parts.size(); i++) {
                int rank = ranks.getOrDefault(parts.get(i) + " " + parts.get(i + 1), Integer.MAX_VALUE);
                if (rank < bestRank) {
                    best = i;
                    bestRank = rank;
                }
            }
            if (best < 0) {
                return parts.stream().mapToInt(part -> tokenizer.idOf(part).orElseThrow()).toArray();
            }
            parts.set(best, parts.get(best) + parts.remove(best + 1));
        }
    }
}
