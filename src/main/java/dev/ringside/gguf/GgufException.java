package dev.ringside.gguf;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A GGUF file that cannot be used. The message names the file, the place in it, the tensor or key concerned, what was expected and
 * found, and the remedy where there is one.
 */
public final class GgufException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Value of {@link #offset()} when the fault has no single place in the file. */
    public static final long NO_OFFSET = -1;

    private final transient Path file;
    private final long offset;
    private final @Nullable String subject;

    /** A fault without a single place, tensor or key. */
    public GgufException(Path file, String problem) {
        this(file, NO_OFFSET, null, problem, null);
    }

    /** A fault of one tensor or key, for instance found while reading hyper-parameters. */
    public GgufException(Path file, String subject, String problem) {
        this(file, NO_OFFSET, subject, problem, null);
    }

    /**
     * @param file the file (for split files: the part) concerned
     * @param offset byte offset of the fault in that file, or {@link #NO_OFFSET}
     * @param subject what is concerned, such as {@code tensor 'blk.0.attn_q.weight'} or {@code key 'general.alignment'}
     * @param problem expected, found and remedy, as a text to show
     */
    public GgufException(Path file, long offset, @Nullable String subject, String problem, @Nullable Throwable cause) {
        super(text(file, offset, subject, problem), cause);
        this.file = file;
        this.offset = offset;
        this.subject = subject;
    }

    private static String text(Path file, long offset, @Nullable String subject, String problem) {
        StringBuilder text = new StringBuilder(file.toString());
        if (offset != NO_OFFSET) {
            text.append(", byte ").append(offset);
        }
        text.append(": ");
        if (subject != null) {
            text.append(subject).append(": ");
        }
        return printable(text.append(problem));
    }

    /** Names in damaged files hold anything; control characters must not reach a log or a terminal. */
    private static String printable(StringBuilder text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                text.setCharAt(i, '\uFFFD');
            }
        }
        return text.toString();
    }

    /** The file, or the part of a split file, that is at fault. */
    public Path file() {
        return file;
    }

    /** Byte offset in {@link #file()}, or {@link #NO_OFFSET}. */
    public long offset() {
        return offset;
    }

    /** The tensor or key concerned, when there is one. */
    public @Nullable String subject() {
        return subject;
    }
}
