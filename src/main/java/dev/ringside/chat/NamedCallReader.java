package dev.ringside.chat;

/** Reads a call written as a name, a mark, and the arguments' JSON, such as {@code get_weather[ARGS]{"city": "Oslo"}}, perhaps with an id of the model's behind the name. */
final class NamedCallReader implements CallReader {

    private static final int LONGEST_NAME = 256;
    private static final int SEPARATOR = 0;
    private static final int UNKNOWN = -1;

    private final MarkerMatcher separator;
    private final boolean separatorNeeded;
    private final StringBuilder name = new StringBuilder();
    private final JsonScanner arguments = new JsonScanner();
    private int nameLength = UNKNOWN;
    private boolean opened;
    private boolean raw;

    /** @param separator the mark between name and arguments */
    NamedCallReader(String separator) {
        this.separator = new MarkerMatcher(separator);
        this.separatorNeeded = true;
    }

    /**
     * A reader to which the arguments' opening brace is enough.
     *
     * @param separator the mark between name and arguments
     * @param id the mark between name and id, if there is one; the id says nothing, since calls get ids of the server's
     */
    NamedCallReader(String separator, String id) {
        this.separator = new MarkerMatcher(separator, id);
        this.separatorNeeded = false;
    }

    @Override
    public Progress accept(char c, CallOutput out) {
        if (opened) {
            return arguments(c, out);
        }
        if (c == '{' && !separatorNeeded && separator.isIdle() && !name.isEmpty()) {
            open(out);
            return arguments(c, out);
        }
        if (name.isEmpty() && separator.isIdle() && JsonScanner.isSpace(c)) {
            return Progress.GOING_ON;
        }
        int before = name.length();
        int mark = separator.accept(c, name);
        boolean found = mark != MarkerMatcher.NONE;
        if (mark == SEPARATOR && !name.isEmpty()) {
            open(out);
            return Progress.GOING_ON;
        }
        if (found && !name.isEmpty() && nameLength == UNKNOWN) {
            nameLength = name.length();
            return Progress.GOING_ON;
        }
        return found || !isName(before) ? Progress.BROKEN : Progress.GOING_ON;
    }

    @Override
    public void cut(CallOutput out) {
        // What was written so far has gone out as it came.
    }

    @Override
    public boolean isRaw() {
        return raw;
    }

    private boolean isName(int from) {
        for (int i = from; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c <= ' ' || "{}[]()\"'<>,;".indexOf(c) >= 0) {
                return false;
            }
        }
        return name.length() <= LONGEST_NAME;
    }

    private void open(CallOutput out) {
        opened = true;
        out.opened(nameLength == UNKNOWN ? name.toString() : name.substring(0, nameLength));
    }

    private Progress arguments(char c, CallOutput out) {
        if (!raw && !arguments.accept(c)) {
            raw = true;
        }
        out.arguments(String.valueOf(c));
        return !raw && arguments.isComplete() && (c == '}' || c == ']') ? Progress.COMPLETE : Progress.GOING_ON;
    }
}
