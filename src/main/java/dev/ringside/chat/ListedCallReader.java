package dev.ringside.chat;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads what stands behind Mistral's {@code [TOOL_CALLS]}: the first of a JSON array of calls, or a name with its arguments. */
final class ListedCallReader implements CallReader {

    private final Predicate<String> known;
    private final boolean names;
    private boolean listed;
    private @Nullable CallReader reader;

    /**
     * @param known which names make a JSON object a call
     * @param names whether a bare name begins a call too
     */
    ListedCallReader(Predicate<String> known, boolean names) {
        this.known = known;
        this.names = names;
    }

    @Override
    public Progress accept(char c, CallOutput out) {
        if (reader != null) {
            return reader.accept(c, out);
        }
        if (JsonScanner.isSpace(c)) {
            return Progress.GOING_ON;
        }
        if (c == '[' && !listed) {
            listed = true;
            return Progress.GOING_ON;
        }
        CallReader chosen = c == '{' ? new JsonCallReader(known) : names && !listed ? new NamedCallReader("[ARGS]", "[CALL_ID]") : null;
        reader = chosen;
        return chosen == null ? Progress.BROKEN : chosen.accept(c, out);
    }

    @Override
    public void cut(CallOutput out) {
        if (reader != null) {
            reader.cut(out);
        }
    }

    @Override
    public boolean isRaw() {
        return reader != null && reader.isRaw();
    }
}
