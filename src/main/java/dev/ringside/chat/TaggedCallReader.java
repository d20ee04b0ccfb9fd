package dev.ringside.chat;

import org.jspecify.annotations.Nullable;

/** Reads what stands behind {@code <tool_call>}: JSON, Qwen's XML or GLM's keys and values, which their first character tells apart. */
final class TaggedCallReader implements CallReader {

    private static final String FUNCTION = "<function=";

    private final ToolCatalog tools;
    private final boolean names;
    private int matched;
    private @Nullable CallReader reader;

    /** @param names whether a bare name begins a call too */
    TaggedCallReader(ToolCatalog tools, boolean names) {
        this.tools = tools;
        this.names = names;
    }

    @Override
    public Progress accept(char c, CallOutput out) {
        if (reader != null) {
            return reader.accept(c, out);
        }
        if (matched > 0 || c == '<') {
            return function(c);
        }
        if (JsonScanner.isSpace(c)) {
            return Progress.GOING_ON;
        }
        CallReader chosen = c == '{' ? new JsonCallReader(_ -> true) : names ? new GlmCallReader(tools) : null;
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

    private Progress function(char c) {
        if (FUNCTION.charAt(matched) != c) {
            return Progress.BROKEN;
        }
        if (++matched == FUNCTION.length()) {
            reader = new XmlCallReader(tools);
        }
        return Progress.GOING_ON;
    }
}
