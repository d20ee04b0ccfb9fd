package dev.ringside.engine;

import java.util.List;

/**
 * What drafting has brought. Figures of one snapshot may be a step apart; warm-up is not counted.
 *
 * @param enabled whether the model has a draft block and drafting is on
 * @param maxDrafts most drafts of a sequence in a step
 * @param drafted drafts verified
 * @param accepted those that were what would have been sampled
 * @param draftedAt of the first drafts, the second and so on
 * @param acceptedAt of the first drafts, the second and so on
 * @param steps steps in which a sequence generated, each sequence counted
 * @param tokens tokens generated in them
 */
public record SpeculationSnapshot(boolean enabled, int maxDrafts, long drafted, long accepted, List<Long> draftedAt, List<Long> acceptedAt,
        long steps, long tokens) {

    /** Of an engine that drafts nothing. */
    public static final SpeculationSnapshot NONE = new SpeculationSnapshot(false, 0, 0, 0, List.of(), List.of(), 0, 0);

    public SpeculationSnapshot {
        draftedAt = List.copyOf(draftedAt);
        acceptedAt = List.copyOf(acceptedAt);
    }

    /** Share of the drafts that were accepted, 0 when there were none. */
    public double acceptance() {
        return drafted == 0 ? 0 : (double) accepted / drafted;
    }

    /** Tokens that a step brings a sequence, 0 when there was none. */
    public double tokensPerStep() {
        return steps == 0 ? 0 : (double) tokens / steps;
    }
}
