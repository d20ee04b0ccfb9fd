package dev.ringside.chat.jinja;

/**
 * What a template may use up. Templates come with model files, which come from anywhere.
 *
 * @param sourceLength characters of the template
 * @param nesting nested blocks, expressions and macro calls, when parsing and when rendering
 * @param steps evaluated nodes and loop rounds, an eighth per copied character, more per list entry and new text: bounds time and memory
 * @param textLength characters of the output and of any one string
 */
public record Limits(int sourceLength, int nesting, long steps, int textLength) {

    /** Far above what public templates need for a megabyte of messages; a hostile one is stopped in about a second. */
    public static final Limits DEFAULT = new Limits(512 * 1024, 300, 20_000_000, 16 * 1024 * 1024);
}
