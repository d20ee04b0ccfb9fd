package dev.ringside.chat;

import java.util.function.Predicate;

/**
 * Reads a call written as one JSON object: {@code {"name": "f", "arguments": {...}}}, where {@code parameters} means {@code arguments} and
 * other members are passed over. Arguments are streamed when the name stands before them.
 */
final class JsonCallReader implements CallReader {

    private enum State {
        BEFORE, FIRST_KEY, KEY, IN_KEY, COLON, VALUE, IN_NAME, ARGUMENTS, ENCODED_ARGUMENTS, OTHER, AFTER_VALUE, RAW
    }

    private final Predicate<String> known;
    private final StringBuilder key = new StringBuilder();
    private final StringBuilder name = new StringBuilder();
    private final StringBuilder pending = new StringBuilder();
    private State state = State.BEFORE;
    private JsonStringReader string = new JsonStringReader();
    private JsonScanner value = new JsonScanner();
    private boolean named;
    private boolean opened;
    private boolean argued;

    /** @param known which names make it a call */
    JsonCallReader(Predicate<String> known) {
        this.known = known;
    }

    @Override
    public Progress accept(char c, CallOutput out) {
        switch (state) {
            case BEFORE -> {
                return space(c) || c == '{' && go(State.FIRST_KEY) ? Progress.GOING_ON : Progress.BROKEN;
            }
            case FIRST_KEY, KEY -> {
                if (c == '}' && state == State.FIRST_KEY) {
                    return finish(out);
                }
                return space(c) || c == '"' && beginKey() ? Progress.GOING_ON : Progress.BROKEN;
            }
            case IN_KEY -> {
                return text(c, key, State.COLON);
            }
            case COLON -> {
                return space(c) || c == ':' && go(State.VALUE) ? Progress.GOING_ON : Progress.BROKEN;
            }
            case VALUE -> {
                return space(c) ? Progress.GOING_ON : beginValue(c, out);
            }
            case IN_NAME -> {
                Progress progress = text(c, name, State.AFTER_VALUE);
                if (progress == Progress.GOING_ON && state == State.AFTER_VALUE) {
                    named = true;
                    return known.test(name.toString()) ? open(out) : Progress.BROKEN;
                }
                return progress;
            }
            case ARGUMENTS -> {
                return arguments(c, out);
            }
            case ENCODED_ARGUMENTS -> {
                return encodedArguments(c, out);
            }
            case OTHER -> {
                return other(c, out);
            }
            case AFTER_VALUE -> {
                return c == '}' ? finish(out) : space(c) || c == ',' && go(State.KEY) ? Progress.GOING_ON : Progress.BROKEN;
            }
            case RAW -> {
                out.arguments(String.valueOf(c));
                return Progress.GOING_ON;
            }
        }
        throw new AssertionError(state);
    }

    @Override
    public void cut(CallOutput out) {
        // What was written so far has gone out as it came.
    }

    @Override
    public boolean isRaw() {
        return state == State.RAW;
    }

    private Progress beginValue(char c, CallOutput out) {
        value = new JsonScanner();
        string = new JsonStringReader();
        switch (key.toString()) {
            case "name" -> {
                return c == '"' && !named && go(State.IN_NAME) ? Progress.GOING_ON : Progress.BROKEN;
            }
            case "arguments", "parameters" -> {
                if (argued) {
                    return Progress.BROKEN;
                }
                argued = true;
                if (c == '"') {
                    state = State.ENCODED_ARGUMENTS;
                    return Progress.GOING_ON;
                }
                state = State.ARGUMENTS;
                return arguments(c, out);
            }
            default -> {
                state = State.OTHER;
                return other(c, out);
            }
        }
    }

    private Progress arguments(char c, CallOutput out) {
        if (value.isComplete()) {
            state = State.AFTER_VALUE;
            return accept(c, out);
        }
        if (!value.accept(c)) {
            return malformed(c, out);
        }
        write(String.valueOf(c), out);
        return Progress.GOING_ON;
    }

    /** Some models put the arguments' JSON into a string. */
    private Progress encodedArguments(char c, CallOutput out) {
        StringBuilder decoded = new StringBuilder(2);
        JsonStringReader.Progress progress = string.accept(c, decoded);
        if (progress == JsonStringReader.Progress.BROKEN) {
            return malformed(c, out);
        }
        write(decoded, out);
        if (progress == JsonStringReader.Progress.CLOSED) {
            state = State.AFTER_VALUE;
        }
        return Progress.GOING_ON;
    }

    private Progress other(char c, CallOutput out) {
        if (value.isComplete()) {
            state = State.AFTER_VALUE;
            return accept(c, out);
        }
        return value.accept(c) ? Progress.GOING_ON : Progress.BROKEN;
    }

    /** A call that has been announced can't be taken back, so the client gets what the model wrote. */
    private Progress malformed(char c, CallOutput out) {
        if (!opened) {
            return Progress.BROKEN;
        }
        state = State.RAW;
        return accept(c, out);
    }

    private Progress finish(CallOutput out) {
        if (!opened) {
            return Progress.BROKEN;
        }
        if (!argued) {
            out.arguments("{}");
        }
        return Progress.COMPLETE;
    }

    private Progress open(CallOutput out) {
        opened = true;
        out.opened(name.toString());
        out.arguments(pending);
        pending.setLength(0);
        return Progress.GOING_ON;
    }

    private void write(CharSequence json, CallOutput out) {
        if (opened) {
            out.arguments(json);
        } else {
            pending.append(json);
        }
    }

    private Progress text(char c, StringBuilder target, State next) {
        return switch (string.accept(c, target)) {
            case GOING_ON -> Progress.GOING_ON;
            case CLOSED -> {
                state = next;
                yield Progress.GOING_ON;
            }
            case BROKEN -> Progress.BROKEN;
        };
    }

    private boolean beginKey() {
        key.setLength(0);
        string = new JsonStringReader();
        return go(State.IN_KEY);
    }

    private boolean go(State next) {
        state = next;
        return true;
    }

    private static boolean space(char c) {
        return JsonScanner.isSpace(c);
    }
}
