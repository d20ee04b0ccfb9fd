package dev.ringside.chat.jinja;

import dev.ringside.tokenizer.TextSpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A string that knows which of its characters the template wrote and which came in with messages, tools or variables. The origin changes
 * at every index in {@code flips}, beginning with the template's. Equality and hash go by the characters alone.
 */
final class Text implements Value {

    static final Text EMPTY = new Text("", new int[0]);

    private static final int[] ALL_TEMPLATE = {};
    private static final int[] ALL_CONTENT = {0};

    private final String value;
    private final int[] flips;

    Text(String value, int[] flips) {
        this.value = value;
        this.flips = flips;
    }

    static Text template(String value) {
        return new Text(value, ALL_TEMPLATE);
    }

    static Text content(String value) {
        return value.isEmpty() ? EMPTY : new Text(value, ALL_CONTENT);
    }

    /** A text made out of this one in a way that does not keep characters apart: content if anything in this one is. */
    Text derive(String derived) {
        return hasContent() ? content(derived) : template(derived);
    }

    String value() {
        return value;
    }

    /** In UTF-16 units; templates count code points, see {@link CodePointText}. */
    int length() {
        return value.length();
    }

    boolean isEmpty() {
        return value.isEmpty();
    }

    boolean hasContent() {
        return flips.length > 0;
    }

    int[] flips() {
        return flips;
    }

    Text slice(int from, int to) {
        if (from >= to) {
            return EMPTY;
        }
        if (from == 0 && to == value.length()) {
            return this;
        }
        if (flips.length == 0 || flips.length == 1 && flips[0] == 0) {
            return new Text(value.substring(from, to), flips);
        }
        return new TextBuilder().append(this, from, to).build();
    }

    /** The text as pieces of one origin each. */
    List<TextSpan> spans() {
        List<TextSpan> spans = new ArrayList<>();
        int start = 0;
        boolean fromTemplate = true;
        for (int i = 0; i <= flips.length; i++) {
            int end = i < flips.length ? flips[i] : value.length();
            if (end > start) {
                spans.add(new TextSpan(value.substring(start, end), fromTemplate));
            }
            start = end;
            fromTemplate = !fromTemplate;
        }
        return List.copyOf(spans);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Text text && value.equals(text.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return value + Arrays.toString(flips);
    }
}
