package dev.ringside.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/** Finds the spellings of special tokens: the leftmost one, of several there the longest. Sorted spellings, narrowed character by character. */
final class SpecialTokenMatcher {

    private final String[] spellings;
    private final int[] ids;
    private final BitSet firstCharacters = new BitSet();

    /** Where and which; {@code id} is -1 when there is none. */
    record Match(int start, int end, int id) {

        static final Match NONE = new Match(-1, -1, -1);
    }

    private record Entry(String spelling, int id) {}

    SpecialTokenMatcher(Vocabulary vocabulary) {
        List<Entry> entries = vocabulary.specialIds().stream()
                .map(id -> new Entry(new String(vocabulary.bytes(id), StandardCharsets.UTF_8), id))
                .sorted(Comparator.comparing(Entry::spelling).thenComparingInt(Entry::id)).toList();
        this.spellings = entries.stream().map(Entry::spelling).toArray(String[]::new);
        this.ids = entries.stream().mapToInt(Entry::id).toArray();
        Arrays.stream(spellings).forEach(spelling -> firstCharacters.set(spelling.charAt(0)));
    }

    /** The first match that lies wholly within {@code from} to {@code to}. */
    Match find(CharSequence text, int from, int to) {
        for (int start = from; start < to; start++) {
            if (firstCharacters.get(text.charAt(start))) {
                Match match = matchAt(text, start, to);
                if (match.id() >= 0) {
                    return match;
                }
            }
        }
        return Match.NONE;
    }

    private Match matchAt(CharSequence text, int start, int to) {
        int low = 0;
        int high = spellings.length;
        Match longest = Match.NONE;
        for (int depth = 0; start + depth < to; depth++) {
            char wanted = text.charAt(start + depth);
            low = firstNotBelow(low, high, depth, wanted);
            high = firstNotBelow(low, high, depth, wanted + 1);
            if (low == high) {
                break;
            }
            if (spellings[low].length() == depth + 1) {
                longest = new Match(start, start + depth + 1, ids[low]);
            }
        }
        return longest;
    }

    /** Within spellings that agree before {@code depth}: the first whose character there is not below {@code wanted}. */
    private int firstNotBelow(int from, int to, int depth, int wanted) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = low + high >>> 1;
            String spelling = spellings[middle];
            if (spelling.length() <= depth || spelling.charAt(depth) < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
