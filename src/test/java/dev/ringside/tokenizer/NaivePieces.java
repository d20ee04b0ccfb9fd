package dev.ringside.tokenizer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The definition of SentencePiece's BPE model, word for word and slow: the pieces of a text whose characters are all pieces. */
final class NaivePieces {

    private NaivePieces() {}

    static List<String> encode(String text, Map<String, Float> scores) {
        List<String> parts = new ArrayList<>(text.codePoints().mapToObj(Character::toString).toList());
        while (true) {
            int best = -1;
            float bestScore = Float.NEGATIVE_INFINITY;
            for (int i = 0; i + 1 < parts.size(); i++) {
                Float score = scores.get(parts.get(i) + parts.get(i + 1));
                if (score != null && score > bestScore) {
                    best = i;
                    bestScore = score;
                }
            }
            if (best < 0) {
                return parts;
            }
            parts.set(best, parts.get(best) + parts.remove(best + 1));
        }
    }
}
