package dev.ringside.chat;

import java.util.List;

/**
 * Finds the first of several short marks in a text that comes character by character, holding back what may still become one. No mark may
 * begin with another.
 */
final class MarkerMatcher {

    /** What {@link #accept} returns when no mark is complete. */
    static final int NONE = -1;

    private final List<String> markers;
    private final StringBuilder held = new StringBuilder();

    MarkerMatcher(List<String> markers) {
        this.markers = List.copyOf(markers);
    }

    MarkerMatcher(String... markers) {
        this(List.of(markers));
    }

    /**
     * Takes a character; what can't be part of a mark any more is appended to {@code plain}.
     *
     * @return the index of the mark that is complete now, or {@link #NONE}
     */
    int accept(char c, StringBuilder plain) {
        held.append(c);
        while (!held.isEmpty()) {
            int marker = candidate();
            if (marker != NONE) {
                if (markers.get(marker).length() == held.length()) {
                    held.setLength(0);
                    return marker;
                }
                return NONE;
            }
            plain.append(held.charAt(0));
            held.deleteCharAt(0);
        }
        return NONE;
    }

    /** Whether nothing is held back. */
    boolean isIdle() {
        return held.isEmpty();
    }

    /** Gives back what was held. */
    void flush(StringBuilder plain) {
        plain.append(held);
        held.setLength(0);
    }

    private int candidate() {
        for (int i = 0; i < markers.size(); i++) {
            if (startsWithHeld(markers.get(i))) {
                return i;
            }
        }
        return NONE;
    }

    private boolean startsWithHeld(String marker) {
        int length = held.length();
        if (length > marker.length()) {
            return false;
        }
        for (int i = length - 1; i >= 0; i--) {
            if (marker.charAt(i) != held.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
