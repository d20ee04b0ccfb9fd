package dev.ringside.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes that grow. Not thread safe. */
final class EventBytes {

    private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
    /** What follows the backslash for a character of ASCII; 0 where it needs none, u where it is written in hexadecimal. */
    private static final byte[] ESCAPES = escapes();
    private static final int LONGEST_ESCAPE = 6;

    private byte[] bytes = new byte[512];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /** As {@link SignalEncoder#lookAhead}. */
    int lookAhead() {
        return bytes[0] + bytes[64] + bytes[128];
    }

    int size() {
        return size;
    }

    /** Takes back what was written behind a size. */
    void cutTo(int before) {
        size = before;
    }

    void write(byte[] more) {
        reserve(more.length);
        System.arraycopy(more, 0, bytes, size, more.length);
        size += more.length;
    }

    /** @param text of ASCII */
    void writeAscii(String text) {
        write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Writes a text as the inside of a JSON string in UTF-8, to the byte as Jackson does.
     *
     * @return false, and nothing is written, when the text has half a surrogate pair
     */
    boolean writeJsonText(String text) {
        int length = text.length();
        reserve(LONGEST_ESCAPE * length);
        int at = size;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                at = ascii(c, at);
            } else if (c < 0x800) {
                bytes[at++] = (byte) (0xC0 | c >> 6);
                bytes[at++] = (byte) (0x80 | c & 0x3F);
            } else if (!Character.isSurrogate(c)) {
                bytes[at++] = (byte) (0xE0 | c >> 12);
                bytes[at++] = (byte) (0x80 | c >> 6 & 0x3F);
                bytes[at++] = (byte) (0x80 | c & 0x3F);
            } else if (Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(text.charAt(i + 1))) {
                int point = Character.toCodePoint(c, text.charAt(++i));
                bytes[at++] = (byte) (0xF0 | point >> 18);
                bytes[at++] = (byte) (0x80 | point >> 12 & 0x3F);
                bytes[at++] = (byte) (0x80 | point >> 6 & 0x3F);
                bytes[at++] = (byte) (0x80 | point & 0x3F);
            } else {
                return false;
            }
        }
        size = at;
        return true;
    }

    private int ascii(char c, int at) {
        int next = at;
        byte escape = ESCAPES[c];
        if (escape == 0) {
            bytes[next++] = (byte) c;
            return next;
        }
        bytes[next++] = '\\';
        bytes[next++] = escape;
        if (escape == 'u') {
            bytes[next++] = '0';
            bytes[next++] = '0';
            bytes[next++] = HEX[c >> 4];
            bytes[next++] = HEX[c & 0xF];
        }
        return next;
    }

    /** What has been written since the last call. */
    byte[] take() {
        byte[] taken = Arrays.copyOf(bytes, size);
        size = 0;
        return taken;
    }

    private void reserve(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(size + more, 2 * bytes.length));
        }
    }

    private static byte[] escapes() {
        byte[] escapes = new byte[0x80];
        Arrays.fill(escapes, 0, 0x20, (byte) 'u');
        escapes['\b'] = 'b';
        escapes['\t'] = 't';
        escapes['\n'] = 'n';
        escapes['\f'] = 'f';
        escapes['\r'] = 'r';
        escapes['"'] = '"';
        escapes['\\'] = '\\';
        return escapes;
    }
}
