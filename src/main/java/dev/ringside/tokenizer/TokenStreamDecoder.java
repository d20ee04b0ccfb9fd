package dev.ringside.tokenizer;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Set;

/**
 * Turns generated tokens into text as they come, holding back the bytes of a character until it is whole. Bytes that can no longer become
 * a character appear as U+FFFD, one per maximal ill-formed piece as the Unicode Standard (3.9) has it. One per stream, one thread.
 */
public final class TokenStreamDecoder {

    private final Tokenizer tokenizer;
    private final boolean showControl;
    private final BitSet shown;
    private final boolean dropsSpace;
    private final StringBuilder text = new StringBuilder();
    private byte[] bytes = new byte[64];
    private boolean atStart = true;

    private int codePoint;
    private int missing;
    private int lower = 0x80;
    private int upper = 0xBF;

    /**
     * For text that continues other text, such as a completion. Control tokens give no text.
     */
    public TokenStreamDecoder(Tokenizer tokenizer) {
        this(tokenizer, false);
    }

    /** @param showControl whether control tokens appear with their spelling, such as {@code <|im_end|>} */
    public TokenStreamDecoder(Tokenizer tokenizer, boolean showControl) {
        this(tokenizer, showControl, new BitSet(), false);
    }

    private TokenStreamDecoder(Tokenizer tokenizer, boolean showControl, BitSet shown, boolean dropsSpace) {
        this.tokenizer = tokenizer;
        this.showControl = showControl;
        this.shown = shown;
        this.dropsSpace = dropsSpace;
    }

    /**
     * For text that stands alone, such as a prompt or the reply in a chat: the leading space is dropped if the tokenizer
     * {@linkplain Tokenizer#addsSpacePrefix() adds one}. Control tokens give no text.
     */
    public static TokenStreamDecoder forWholeText(Tokenizer tokenizer) {
        return new TokenStreamDecoder(tokenizer, false, new BitSet(), tokenizer.addsSpacePrefix());
    }

    /**
     * For text that continues other text and in which some control tokens have a meaning to its reader, such as {@code [TOOL_CALLS]}. The other
     * ones, and those that end a generation, give no text.
     *
     * @param markers spellings of the control tokens to show; the vocabulary need not have them
     */
    public static TokenStreamDecoder showing(Tokenizer tokenizer, Set<String> markers) {
        BitSet shown = new BitSet();
        for (String marker : markers) {
            int id = tokenizer.idOf(marker).orElse(-1);
            if (id >= 0 && !tokenizer.isEndOfGeneration(id)) {
                shown.set(id);
            }
        }
        return new TokenStreamDecoder(tokenizer, false, shown, false);
    }

    /** The text that this token completes; empty when it ends inside a character. */
    public String append(int token) {
        if (!showControl && tokenizer.isControl(token) && !shown.get(token)) {
            return "";
        }
        int length = tokenizer.tokenLength(token);
        if (length > bytes.length) {
            bytes = Arrays.copyOf(bytes, length);
        }
        tokenizer.copyTokenBytes(token, bytes, 0);
        text.setLength(0);
        int first = 0;
        if (atStart && length > 0) {
            atStart = false;
            first = dropsSpace && bytes[0] == ' ' ? 1 : 0;
        }
        for (int i = first; i < length; i++) {
            accept(bytes[i] & 0xFF);
        }
        return text.isEmpty() ? "" : text.toString();
    }

    /** Ends the stream: U+FFFD if it ended inside a character, else nothing. The decoder can be used again. */
    public String flush() {
        boolean broken = missing > 0;
        missing = 0;
        atStart = true;
        return broken ? "\uFFFD" : "";
    }

    private void accept(int value) {
        if (missing > 0) {
            if (value >= lower && value <= upper) {
                codePoint = codePoint << 6 | value & 0x3F;
                lower = 0x80;
                upper = 0xBF;
                if (--missing == 0) {
                    text.appendCodePoint(codePoint);
                }
                return;
            }
            missing = 0;
            text.append('\uFFFD');
        }
        if (value < 0x80) {
            text.append((char) value);
        } else {
            begin(value);
        }
    }

    /** First byte of a longer character; the range of the second byte shuts out overlong forms, surrogates and what is beyond U+10FFFF. */
    private void begin(int value) {
        lower = value == 0xE0 ? 0xA0 : value == 0xF0 ? 0x90 : 0x80;
        upper = value == 0xED ? 0x9F : value == 0xF4 ? 0x8F : 0xBF;
        if (value >= 0xC2 && value <= 0xDF) {
            missing = 1;
            codePoint = value & 0x1F;
        } else if (value >= 0xE0 && value <= 0xEF) {
            missing = 2;
            codePoint = value & 0x0F;
        } else if (value >= 0xF0 && value <= 0xF4) {
            missing = 3;
            codePoint = value & 0x07;
        } else {
            text.append('\uFFFD');
        }
    }
}
