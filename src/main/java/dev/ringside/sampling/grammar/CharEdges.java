package dev.ringside.sampling.grammar;

import java.nio.charset.StandardCharsets;

/** Edges for one character of a set. */
final class CharEdges {

    private static final CodePoints ESCAPED = CodePoints.ranges(0, 0x1F, '"', '"', '\\', '\\');

    private CharEdges() {}

    static void add(AutomatonEdges edges, Expr.Chars chars, int from, int to) {
        CodePoints plain = chars.quoted() ? chars.set().minus(ESCAPED) : chars.set();
        for (int i = 0; i < plain.rangeCount(); i++) {
            Utf8.split(plain.low(i), plain.high(i), (low, high, length) -> {
                int state = from;
                for (int k = 0; k < length; k++) {
                    int next = k == length - 1 ? to : edges.newState();
                    edges.addByte(state, low[k], high[k], next);
                    state = next;
                }
            });
        }
        if (chars.quoted()) {
            CodePoints escaped = chars.set().intersect(ESCAPED);
            for (int i = 0; i < escaped.rangeCount(); i++) {
                for (int c = escaped.low(i); c <= escaped.high(i); c++) {
                    literal(edges, JsonString.escape(Character.toString(c)), from, to);
                }
            }
        }
    }

    private static void literal(AutomatonEdges edges, String text, int from, int to) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        int state = from;
        for (int k = 0; k < bytes.length; k++) {
            int next = k == bytes.length - 1 ? to : edges.newState();
            edges.addByte(state, bytes[k], bytes[k], next);
            state = next;
        }
    }
}
