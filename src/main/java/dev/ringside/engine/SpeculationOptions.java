package dev.ringside.engine;

/**
 * How much is drafted ahead by models that have a draft (MTP) block.
 *
 * @param maxDrafts most drafts of a sequence in a step; 0 drafts nothing
 * @param adaptive whether fewer are drafted where more do not pay; otherwise always as many as there can be
 */
public record SpeculationOptions(int maxDrafts, boolean adaptive) {

    /** Drafts nothing. */
    public static final SpeculationOptions NONE = new SpeculationOptions(0, true);

    /** Most drafts of all sequences of a step together: each takes a row of logits, a megabyte with large vocabularies. */
    private static final int MOST_IN_STEP = 32;

    public SpeculationOptions {
        if (maxDrafts < 0 || maxDrafts > MOST_IN_STEP) {
            throw new IllegalArgumentException("maxDrafts must be from 0 to " + MOST_IN_STEP + ", got " + maxDrafts);
        }
    }

    /** Most drafts of a step of so many sequences. */
    int draftRows(int sequences) {
        return (int) Math.min(MOST_IN_STEP, (long) sequences * maxDrafts);
    }

    /** Rows of logits that a step of so many sequences may need. */
    public int logitRows(int sequences) {
        return sequences + draftRows(sequences);
    }
}
