package dev.ringside.expert;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Which slot gives way to a new expert: the value of {@code ringside.experts.eviction}. */
public sealed interface ExpertEviction {

    /**
     * One chosen at random among the least recently used {@code percent} percent of all slots. Strict recency (0) misses every time on a
     * cyclic scan a little larger than the cache; the random choice keeps part of the cycle.
     *
     * @param percent 0 to 100; 0 is strict least recently used
     */
    record Window(int percent) implements ExpertEviction {

        public Window {
            if (percent < 0 || percent > 100) {
                throw new IllegalArgumentException(PROPERTY + ": found a window of " + percent + " percent, expected 0 to 100");
            }
        }

        @Override
        public String toString() {
            return percent == 0 ? "lru" : WINDOW + percent;
        }
    }

    /** The one asked for least often lately: each use counts, and counts half as much 20 tokens later. */
    record Frequency() implements ExpertEviction {

        @Override
        public String toString() {
            return "lfru";
        }
    }

    /** Whichever of several policies would have missed least lately, found out on shadow caches without bytes. */
    record Adaptive() implements ExpertEviction {

        @Override
        public String toString() {
            return "adaptive";
        }
    }

    /** The percentage of {@link #DEFAULT}. */
    int DEFAULT_WINDOW = 8;

    /** A window of {@value #DEFAULT_WINDOW} percent. */
    ExpertEviction DEFAULT = new Window(DEFAULT_WINDOW);

    /** Strict least recently used. */
    ExpertEviction LRU = new Window(0);

    /** The property. */
    String PROPERTY = "ringside.experts.eviction";

    /** What a window's text begins with. */
    String WINDOW = "window:";

    /**
     * Reads {@code lru}, {@code window:P}, {@code lfru} or {@code adaptive}.
     *
     * @throws IllegalArgumentException naming property, value and the allowed ones
     */
    static ExpertEviction parse(String text) {
        String value = text.strip().toLowerCase(Locale.ROOT);
        return switch (value) {
            case "lru" -> LRU;
            case "lfru" -> new Frequency();
            case "adaptive" -> new Adaptive();
            default -> window(text, value);
        };
    }

    private static ExpertEviction window(String text, String value) {
        if (!value.startsWith(WINDOW)) {
            throw unknown(text, null);
        }
        try {
            return new Window(Integer.parseInt(value.substring(WINDOW.length())));
        } catch (NumberFormatException e) {
            throw unknown(text, e);
        }
    }

    private static IllegalArgumentException unknown(String text, @Nullable Throwable cause) {
        return new IllegalArgumentException(PROPERTY + ": found '" + text
                + "', expected lru, window:P with P percent of the slots such as window:8, lfru, or adaptive", cause);
    }
}
