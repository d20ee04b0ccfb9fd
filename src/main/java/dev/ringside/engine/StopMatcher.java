package dev.ringside.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds stop strings in text that comes in pieces. Text that may be the beginning of one is held back until it is clear, so no part of a
 * match is ever released. Linear in the text (Knuth, Morris, Pratt); the match that ends first wins, among those the longest.
 */
public final class StopMatcher {

    private final String[] stops;
    private final int[][] failures;
    private final int[] matched;
    private final StringBuilder held = new StringBuilder();
    private @Nullable String found;

    /** @throws IllegalArgumentException when a stop string is empty */
    public StopMatcher(List<String> stops) {
        this.stops = stops.toArray(new String[0]);
        this.failures = new int[this.stops.length][];
        this.matched = new int[this.stops.length];
        for (int i = 0; i < this.stops.length; i++) {
            if (this.stops[i].isEmpty()) {
                throw new IllegalArgumentException("A stop string must not be empty");
            }
            failures[i] = failureFunction(this.stops[i]);
        }
    }

    /** As {@link GenerationListener#lookAhead}. */
    int lookAhead() {
        return stops.length;
    }

    /** Whether a stop string was found; nothing more is released then. */
    public boolean found() {
        return found != null;
    }

    /** The stop string that was found, or null. */
    public @Nullable String match() {
        return found;
    }

    /** Adds text and returns what is now known to be in front of any stop string. */
    public String append(String text) {
        if (found != null) {
            return "";
        }
        if (stops.length == 0 || text.isEmpty()) {
            return text;
        }
        int before = held.length();
        for (int i = 0; i < text.length(); i++) {
            int match = advance(text.charAt(i));
            if (match > 0) {
                held.append(text, 0, i + 1);
                found = held.substring(held.length() - match);
                held.setLength(held.length() - match);
                return release(held.length());
            }
        }
        int hold = longestPrefix();
        if (before == 0 && hold == 0) {
            return text;
        }
        held.append(text);
        return release(held.length() - hold);
    }

    /** The text ends here: what was held back is released unless a stop string was found. */
    public String flush() {
        return found != null ? "" : release(held.length());
    }

    /** Length of the longest stop string that ends with this character, or 0. */
    private int advance(char next) {
        int match = 0;
        for (int s = 0; s < stops.length; s++) {
            String stop = stops[s];
            int length = matched[s];
            while (length > 0 && stop.charAt(length) != next) {
                length = failures[s][length - 1];
            }
            if (stop.charAt(length) == next) {
                length++;
            }
            if (length == stop.length()) {
                match = Math.max(match, length);
                length = failures[s][length - 1];
            }
            matched[s] = length;
        }
        return match;
    }

    private int longestPrefix() {
        int longest = 0;
        for (int length : matched) {
            longest = Math.max(longest, length);
        }
        return longest;
    }

    private String release(int length) {
        if (length == 0) {
            return "";
        }
        String text = held.substring(0, length);
        held.delete(0, length);
        return text;
    }

    /** For each prefix, the length of its longest proper suffix that is a prefix too. */
    private static int[] failureFunction(String stop) {
        int[] failure = new int[stop.length()];
        for (int i = 1, length = 0; i < stop.length(); i++) {
            while (length > 0 && stop.charAt(i) != stop.charAt(length)) {
                length = failure[length - 1];
            }
            if (stop.charAt(i) == stop.charAt(length)) {
                length++;
            }
            failure[i] = length;
        }
        return failure;
    }
}
