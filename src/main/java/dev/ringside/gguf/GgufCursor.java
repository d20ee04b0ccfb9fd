package dev.ringside.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** A position in one file that never passes its end: every length is compared with the bytes left before anything is allocated. */
final class GgufCursor {

    /** Longest string accepted, in bytes; the longest real ones, chat templates, have some ten thousand. */
    private static final long MAX_STRING_BYTES = 1L << 28;

    private final Path file;
    private final MemorySegment bytes;
    private long position;
    private byte[] scratch = new byte[256];

    GgufCursor(Path file, MemorySegment bytes) {
        this.file = file;
        this.bytes = bytes;
    }

    Path file() {
        return file;
    }

    long position() {
        return position;
    }

    long remaining() {
        return bytes.byteSize() - position;
    }

    int readInt(String what) {
        require(Integer.BYTES, what);
        int value = bytes.get(GgufValue.INT, position);
        position += Integer.BYTES;
        return value;
    }

    long readLong(String what) {
        require(Long.BYTES, what);
        long value = bytes.get(GgufValue.LONG, position);
        position += Long.BYTES;
        return value;
    }

    /** A copy of the next bytes on the heap. */
    MemorySegment readBytes(int count, String what) {
        require(count, what);
        byte[] copy = new byte[count];
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, position, copy, 0, count);
        position += count;
        return MemorySegment.ofArray(copy).asReadOnly();
    }

    /** A string value; bytes that are not UTF-8 become U+FFFD. */
    String readString(String what) {
        int length = readText(what, MAX_STRING_BYTES);
        return new String(scratch, 0, length, StandardCharsets.UTF_8);
    }

    /** A key or tensor name: not empty, and UTF-8, so that two different names never look the same. */
    String readName(String what, long maxBytes) {
        long start = position;
        int length = readText(what, maxBytes);
        String name = new String(scratch, 0, length, StandardCharsets.UTF_8);
        if (name.isEmpty()) {
            throw fault(start, what + " is empty");
        }
        if (name.indexOf('\uFFFD') >= 0 && !Arrays.equals(name.getBytes(StandardCharsets.UTF_8), Arrays.copyOf(scratch, length))) {
            throw fault(start, what + " is not UTF-8: '" + name + "'");
        }
        return name;
    }

    /** Reads the length and the bytes of a string into the scratch buffer. */
    private int readText(String what, long maxBytes) {
        long start = position;
        if (remaining() < Long.BYTES) {
            require(Long.BYTES, "the length of " + what);
        }
        long length = bytes.get(GgufValue.LONG, position);
        position += Long.BYTES;
        if (length < 0 || length > remaining()) {
            throw fault(start, "the length of " + what + ", " + Long.toUnsignedString(length)
                    + " bytes, runs past the end of file: " + remaining() + " bytes are left" + DAMAGED);
        }
        if (length > maxBytes) {
            throw fault(start, what + " has " + length + " bytes, expected at most " + maxBytes);
        }
        int size = (int) length;
        if (scratch.length < size) {
            scratch = new byte[Math.max(size, Math.min(scratch.length * 2, 1 << 20))];
        }
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, position, scratch, 0, size);
        position += size;
        return size;
    }

    private void require(long count, String what) {
        if (count > remaining()) {
            throw fault(position, "unexpected end of file: " + what + " needs " + count + " bytes, " + remaining() + " are left" + DAMAGED);
        }
    }

    GgufException fault(long offset, String problem) {
        return new GgufException(file, offset, null, problem, null);
    }

    GgufException fault(long offset, String subject, String problem) {
        return new GgufException(file, offset, subject, problem, null);
    }

    static final String DAMAGED = "; the file is damaged or cut short, download it again";
}
