package dev.ringside.api;

import java.util.Arrays;
import java.util.function.Function;

/** A chunk that is written once, and then again and again with another text: JSON of tokens without trees and writers. */
final class DeltaTemplate {

    private final byte[] before;
    private final byte[] behind;

    private DeltaTemplate(byte[] before, byte[] behind) {
        this.before = before;
        this.behind = behind;
    }

    /**
     * Finds the place of the text by writing two texts.
     *
     * @param event bytes of the event for a text; nothing but the text may differ
     */
    static DeltaTemplate of(Function<String, byte[]> event) {
        byte[] one = event.apply("0");
        int place = Arrays.mismatch(one, event.apply("1"));
        return new DeltaTemplate(Arrays.copyOf(one, place), Arrays.copyOfRange(one, place + 1, one.length));
    }

    /** As {@link SignalEncoder#lookAhead}. */
    int lookAhead() {
        return before[before.length - 1] + before[before.length / 2] + behind.length;
    }

    /** Writes the event of a text; false, and nothing is written, when the text has half a surrogate pair. */
    boolean write(String text, EventBytes out) {
        int from = out.size();
        out.write(before);
        boolean whole = out.writeJsonText(text);
        if (whole) {
            out.write(behind);
        } else {
            out.cutTo(from);
        }
        return whole;
    }
}
