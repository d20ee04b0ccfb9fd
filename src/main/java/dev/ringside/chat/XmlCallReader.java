package dev.ringside.chat;

/**
 * Reads a call as Qwen3-Coder and Qwen3.5 write it, behind {@code <function=}:
 *
 * <pre>{@code
 * NAME>
 * <parameter=KEY>
 * value
 * </parameter>
 * </function>
 * }</pre>
 *
 * One line break on either side of a value belongs to the format.
 */
final class XmlCallReader implements CallReader {

    private static final int LONGEST_NAME = 256;
    private static final int PARAMETER = 0;

    private enum State {
        NAME, BETWEEN, KEY, VALUE_START, VALUE
    }

    private final ToolCatalog tools;
    private final StringBuilder name = new StringBuilder();
    private final StringBuilder key = new StringBuilder();
    private final StringBuilder plain = new StringBuilder();
    private final ArgumentsWriter arguments = new ArgumentsWriter();
    private final MarkerMatcher between = new MarkerMatcher("<parameter=", "</function>");
    private final MarkerMatcher value = new MarkerMatcher("</parameter>");
    private State state = State.NAME;
    private boolean lineBreak;

    XmlCallReader(ToolCatalog tools) {
        this.tools = tools;
    }

    @Override
    public Progress accept(char c, CallOutput out) {
        return switch (state) {
            case NAME -> name(c, out);
            case BETWEEN -> between(c, out);
            case KEY -> key(c);
            case VALUE_START -> {
                state = State.VALUE;
                yield c == '\n' ? Progress.GOING_ON : value(c, out);
            }
            case VALUE -> value(c, out);
        };
    }

    @Override
    public void cut(CallOutput out) {
        if (state == State.VALUE) {
            value.flush(plain);
            pass();
            arguments.cut();
        }
        arguments.flush(out);
    }

    private Progress name(char c, CallOutput out) {
        if (c == '>' && !name.isEmpty()) {
            out.opened(name.toString());
            state = State.BETWEEN;
            return Progress.GOING_ON;
        }
        return append(name, c);
    }

    private Progress key(char c) {
        if (c == '>' && !key.isEmpty()) {
            arguments.begin(key.toString(), tools.kind(name.toString(), key.toString()));
            state = State.VALUE_START;
            lineBreak = false;
            return Progress.GOING_ON;
        }
        return append(key, c);
    }

    private static Progress append(StringBuilder text, char c) {
        if (c <= ' ' || c == '<' || c == '>' || text.length() == LONGEST_NAME) {
            return Progress.BROKEN;
        }
        text.append(c);
        return Progress.GOING_ON;
    }

    private Progress between(char c, CallOutput out) {
        if (between.isIdle() && JsonScanner.isSpace(c)) {
            return Progress.GOING_ON;
        }
        int found = between.accept(c, plain);
        if (found == PARAMETER) {
            key.setLength(0);
            state = State.KEY;
            return Progress.GOING_ON;
        }
        if (found == MarkerMatcher.NONE && plain.isEmpty()) {
            return Progress.GOING_ON;
        }
        arguments.close();
        arguments.flush(out);
        return found == MarkerMatcher.NONE ? Progress.BROKEN : Progress.COMPLETE;
    }

    private Progress value(char c, CallOutput out) {
        boolean ended = value.accept(c, plain) != MarkerMatcher.NONE;
        pass();
        if (ended) {
            arguments.end();
            state = State.BETWEEN;
        }
        arguments.flush(out);
        return Progress.GOING_ON;
    }

    /** Hands a piece of the value on, save a line break at its end, which may be the format's. */
    private void pass() {
        for (int i = 0; i < plain.length(); i++) {
            if (lineBreak) {
                arguments.value("\n");
            }
            lineBreak = plain.charAt(i) == '\n';
            if (!lineBreak) {
                arguments.value(plain.subSequence(i, i + 1));
            }
        }
        plain.setLength(0);
    }
}
