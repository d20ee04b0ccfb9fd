package dev.ringside.chat;

import java.util.BitSet;

/** Follows one JSON value (RFC 8259) character by character and says where it ends or stops being JSON. Takes constant time per character. */
final class JsonScanner {

    /** Deeper values are not followed. */
    static final int MAX_DEPTH = 512;

    private enum State {
        VALUE, FIRST_ELEMENT, FIRST_KEY, KEY, COLON, AFTER_VALUE, STRING, ESCAPE, HEX, MINUS, ZERO, INTEGER, POINT, FRACTION, EXPONENT,
        EXPONENT_SIGN, EXPONENT_DIGITS, LITERAL, DONE, BROKEN
    }

    private final BitSet objects = new BitSet();
    private State state = State.VALUE;
    private boolean key;
    private int depth;
    private int hexDigits;
    private String literal = "";
    private int matched;

    /** Whether {@code c} continues the value. A number at the top ends with the first character that does not continue it. */
    boolean accept(char c) {
        if (state == State.DONE || state == State.BROKEN) {
            return false;
        }
        if (!step(c)) {
            state = State.BROKEN;
            return false;
        }
        return true;
    }

    /** Whether the value has been seen to its end; true for a number as long as it could end here. */
    boolean isComplete() {
        return state == State.DONE || depth == 0
                && (state == State.ZERO || state == State.INTEGER || state == State.FRACTION || state == State.EXPONENT_DIGITS);
    }

    /** Whether {@code text} is one JSON value and nothing else but white space. */
    static boolean isValue(CharSequence text) {
        JsonScanner scanner = new JsonScanner();
        int end = text.length();
        while (end > 0 && isSpace(text.charAt(end - 1))) {
            end--;
        }
        for (int i = 0; i < end; i++) {
            if (!scanner.accept(text.charAt(i))) {
                return false;
            }
        }
        return scanner.isComplete();
    }

    static boolean isSpace(char c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }

    private boolean step(char c) {
        return switch (state) {
            case VALUE -> isSpace(c) || begin(c);
            case FIRST_ELEMENT -> isSpace(c) || (c == ']' ? close() : begin(c));
            case FIRST_KEY -> isSpace(c) || (c == '}' ? close() : beginKey(c));
            case KEY -> isSpace(c) || beginKey(c);
            case COLON -> isSpace(c) || c == ':' && go(State.VALUE);
            case AFTER_VALUE -> isSpace(c) || afterValue(c);
            case STRING -> inString(c);
            case ESCAPE -> escape(c);
            case HEX -> Character.digit(c, 16) >= 0 && c < 0x80 && (++hexDigits < 4 || go(State.STRING));
            case MINUS -> c == '0' ? go(State.ZERO) : isDigit(c) && go(State.INTEGER);
            case ZERO -> afterInteger(c);
            case INTEGER -> isDigit(c) || afterInteger(c);
            case POINT -> isDigit(c) && go(State.FRACTION);
            case FRACTION -> isDigit(c) || exponentOrEnd(c);
            case EXPONENT -> c == '+' || c == '-' ? go(State.EXPONENT_SIGN) : isDigit(c) && go(State.EXPONENT_DIGITS);
            case EXPONENT_SIGN -> isDigit(c) && go(State.EXPONENT_DIGITS);
            case EXPONENT_DIGITS -> isDigit(c) || endNumber(c);
            case LITERAL -> literal.charAt(matched) == c && (++matched < literal.length() || endValue());
            case DONE, BROKEN -> false;
        };
    }

    private boolean begin(char c) {
        return switch (c) {
            case '{' -> open(true);
            case '[' -> open(false);
            case '"' -> {
                key = false;
                yield go(State.STRING);
            }
            case '-' -> go(State.MINUS);
            case '0' -> go(State.ZERO);
            case 't' -> literal("true");
            case 'f' -> literal("false");
            case 'n' -> literal("null");
            default -> isDigit(c) && go(State.INTEGER);
        };
    }

    private boolean beginKey(char c) {
        key = true;
        return c == '"' && go(State.STRING);
    }

    private boolean inString(char c) {
        return switch (c) {
            case '"' -> key ? go(State.COLON) : endValue();
            case '\\' -> go(State.ESCAPE);
            default -> c >= ' ';
        };
    }

    private boolean escape(char c) {
        if (c == 'u') {
            hexDigits = 0;
            return go(State.HEX);
        }
        return "\"\\/bfnrt".indexOf(c) >= 0 && go(State.STRING);
    }

    private boolean afterInteger(char c) {
        return c == '.' ? go(State.POINT) : exponentOrEnd(c);
    }

    private boolean exponentOrEnd(char c) {
        return c == 'e' || c == 'E' ? go(State.EXPONENT) : endNumber(c);
    }

    /** Inside an array or object the character after a number belongs to what holds it. */
    private boolean endNumber(char c) {
        return depth > 0 && endValue() && step(c);
    }

    private boolean afterValue(char c) {
        boolean object = objects.get(depth - 1);
        return switch (c) {
            case ',' -> go(object ? State.KEY : State.VALUE);
            case '}' -> object && close();
            case ']' -> !object && close();
            default -> false;
        };
    }

    private boolean open(boolean object) {
        if (depth == MAX_DEPTH) {
            return false;
        }
        objects.set(depth++, object);
        return go(object ? State.FIRST_KEY : State.FIRST_ELEMENT);
    }

    private boolean close() {
        depth--;
        return endValue();
    }

    private boolean endValue() {
        return go(depth == 0 ? State.DONE : State.AFTER_VALUE);
    }

    private boolean literal(String word) {
        literal = word;
        matched = 1;
        return go(State.LITERAL);
    }

    private boolean go(State next) {
        state = next;
        return true;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
