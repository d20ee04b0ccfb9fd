package dev.ringside.expert;

import java.util.Locale;

/** Kinds of expert arena, as {@code ringside.experts.arena} names them. */
public enum ArenaKind {
    /** Pinned where kernels read host memory as fast as their own, device otherwise. */
    AUTO,
    /** Device memory, filled through a page-locked ring. */
    DEVICE,
    /** Page-locked host memory that kernels read in place. */
    PINNED;

    /**
     * Reads the value of {@code ringside.experts.arena}.
     *
     * @throws IllegalArgumentException naming property, value and the allowed ones
     */
    public static ArenaKind parse(String text) {
        for (ArenaKind kind : values()) {
            if (kind.text().equals(text.strip().toLowerCase(Locale.ROOT))) {
                return kind;
            }
        }
        throw new IllegalArgumentException("ringside.experts.arena: found '" + text + "', expected auto, device or pinned");
    }

    /** The name in configuration, lower case. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
