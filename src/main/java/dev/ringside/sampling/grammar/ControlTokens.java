package dev.ringside.sampling.grammar;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The control tokens of a vocabulary by their text. */
final class ControlTokens {

    private static final int[] NONE = {};

    private final Map<String, int[]> byText = new HashMap<>();

    ControlTokens(Vocabulary vocabulary) {
        for (int token = 0; token < vocabulary.size(); token++) {
            if (vocabulary.control(token) && !vocabulary.endsGeneration(token)) {
                int id = token;
                byText.merge(new String(vocabulary.bytes(token), StandardCharsets.UTF_8), new int[] {id}, ControlTokens::join);
            }
        }
    }

    private static int[] join(int[] some, int[] one) {
        int[] joined = Arrays.copyOf(some, some.length + 1);
        joined[some.length] = one[0];
        return joined;
    }

    int[] withText(String text) {
        return byText.getOrDefault(text, NONE);
    }
}
