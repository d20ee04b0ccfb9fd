package dev.ringside.chat;

/**
 * Reads a call as GLM-4.5 and its successors write it, behind {@code <tool_call>}: the name, then {@code <arg_key>k</arg_key>} and
 * {@code <arg_value>v</arg_value>} in turn, then {@code </tool_call>}.
 */
final class GlmCallReader implements CallReader {

    private static final int LONGEST_NAME = 256;
    private static final int KEY = 0;

    private enum State {
        NAME, AFTER_NAME, BETWEEN, IN_KEY, BEFORE_VALUE, IN_VALUE
    }

    private final ToolCatalog tools;
    private final StringBuilder name = new StringBuilder();
    private final StringBuilder key = new StringBuilder();
    private final StringBuilder plain = new StringBuilder();
    private final ArgumentsWriter arguments = new ArgumentsWriter();
    private final MarkerMatcher between = new MarkerMatcher("<arg_key>", "</tool_call>");
    private final MarkerMatcher keyEnd = new MarkerMatcher("</arg_key>");
    private final MarkerMatcher valueStart = new MarkerMatcher("<arg_value>");
    private final MarkerMatcher valueEnd = new MarkerMatcher("</arg_value>");
    private State state = State.NAME;
    private boolean opened;

    GlmCallReader(ToolCatalog tools) {
        this.tools = tools;
    }

    @Override
    public Progress accept(char c, CallOutput out) {
        return switch (state) {
            case NAME -> name(c, out);
            case AFTER_NAME, BETWEEN -> between(c, out);
            case IN_KEY -> key(c, out);
            case BEFORE_VALUE -> beforeValue(c, out);
            case IN_VALUE -> value(c, out);
        };
    }

    @Override
    public void cut(CallOutput out) {
        if (state == State.IN_VALUE) {
            valueEnd.flush(plain);
            pass();
            arguments.cut();
        }
        if (opened) {
            arguments.flush(out);
        }
    }

    private Progress name(char c, CallOutput out) {
        if (!name.isEmpty() && (c == '<' || JsonScanner.isSpace(c))) {
            state = State.AFTER_NAME;
            return between(c, out);
        }
        boolean part = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.';
        if (!part || name.length() == LONGEST_NAME) {
            return JsonScanner.isSpace(c) ? Progress.GOING_ON : Progress.BROKEN;
        }
        name.append(c);
        return Progress.GOING_ON;
    }

    private Progress between(char c, CallOutput out) {
        if (between.isIdle() && JsonScanner.isSpace(c)) {
            return Progress.GOING_ON;
        }
        int found = between.accept(c, plain);
        if (found == MarkerMatcher.NONE) {
            return plain.isEmpty() ? Progress.GOING_ON : broken(out);
        }
        if (!opened) {
            opened = true;
            out.opened(name.toString());
        }
        if (found == KEY) {
            key.setLength(0);
            state = State.IN_KEY;
            return Progress.GOING_ON;
        }
        arguments.close();
        arguments.flush(out);
        return Progress.COMPLETE;
    }

    private Progress key(char c, CallOutput out) {
        boolean ended = keyEnd.accept(c, key) != MarkerMatcher.NONE;
        if (ended) {
            state = State.BEFORE_VALUE;
        }
        return key.length() > LONGEST_NAME ? broken(out) : Progress.GOING_ON;
    }

    private Progress beforeValue(char c, CallOutput out) {
        if (valueStart.isIdle() && JsonScanner.isSpace(c)) {
            return Progress.GOING_ON;
        }
        boolean begun = valueStart.accept(c, plain) != MarkerMatcher.NONE;
        if (!plain.isEmpty()) {
            return broken(out);
        }
        if (begun) {
            String parameter = key.toString().strip();
            arguments.begin(parameter, tools.kind(name.toString(), parameter));
            state = State.IN_VALUE;
        }
        return Progress.GOING_ON;
    }

    private Progress value(char c, CallOutput out) {
        boolean ended = valueEnd.accept(c, plain) != MarkerMatcher.NONE;
        pass();
        if (ended) {
            arguments.end();
            state = State.BETWEEN;
        }
        arguments.flush(out);
        return Progress.GOING_ON;
    }

    private Progress broken(CallOutput out) {
        if (opened) {
            arguments.close();
            arguments.flush(out);
        }
        return Progress.BROKEN;
    }

    private void pass() {
        arguments.value(plain);
        plain.setLength(0);
    }
}
