package dev.ringside.expert;

import java.util.Locale;

/** The expert arena asked for is too small to run one token. */
public final class ExpertArenaTooSmallException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The property that sets the size. */
    public static final String PROPERTY = "ringside.experts.arena-bytes";

    private final long askedBytes;
    private final long neededBytes;

    ExpertArenaTooSmallException(String value, long askedBytes, int neededSlots, long slotBytes, int totalExperts, int expertsPerToken) {
        super(message(value, askedBytes, neededSlots, slotBytes, totalExperts, expertsPerToken));
        this.askedBytes = askedBytes;
        this.neededBytes = neededSlots * slotBytes;
    }

    private static String message(String value, long askedBytes, int neededSlots, long slotBytes, int totalExperts, int expertsPerToken) {
        double percent = Math.ceil(1000.0 * neededSlots / totalExperts) / 10;
        return String.format(Locale.ROOT, "%s: '%s' gives %,d bytes, but this model needs at least %,d bytes (%.1f%% of its experts): "
                + "2 x %d experts per token, %,d bytes each. Set %s to %d or more, to '%.1f%%', or to 'auto'.", PROPERTY, value, askedBytes,
                neededSlots * slotBytes, percent, expertsPerToken, slotBytes, PROPERTY, neededSlots * slotBytes, percent);
    }

    /** Bytes that the value of the property amounts to. */
    public long askedBytes() {
        return askedBytes;
    }

    /** Fewest bytes that work for this model. */
    public long neededBytes() {
        return neededBytes;
    }
}
