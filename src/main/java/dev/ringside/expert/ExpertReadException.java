package dev.ringside.expert;

import org.jspecify.annotations.Nullable;

/** The bytes of an expert could not be read. The request that needed them fails; nothing else is affected. */
public final class ExpertReadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Value of {@link #offset()} when the fault has no place in a file. */
    public static final long NO_OFFSET = -1;

    private final int layer;
    private final int expert;
    private final @Nullable String shard;
    private final long offset;

    /**
     * @param shard the file, or null when the source is not a file
     * @param offset byte offset in that file, or {@link #NO_OFFSET}
     * @param problem what went wrong, as a text to show
     */
    public ExpertReadException(int layer, int expert, @Nullable String shard, long offset, String problem, @Nullable Throwable cause) {
        super("Cannot read expert " + expert + " of layer " + layer + (shard == null ? "" : " from " + shard)
                + (offset == NO_OFFSET ? "" : ", byte " + offset) + ": " + problem, cause);
        this.layer = layer;
        this.expert = expert;
        this.shard = shard;
        this.offset = offset;
    }

    public int layer() {
        return layer;
    }

    public int expert() {
        return expert;
    }

    public @Nullable String shard() {
        return shard;
    }

    public long offset() {
        return offset;
    }
}
