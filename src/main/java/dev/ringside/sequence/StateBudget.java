package dev.ringside.sequence;

/**
 * How much sequence state a pool holds.
 *
 * @param maxSequences sequences alive at once
 * @param planes recurrent planes of each sequence: 2 plus the most drafts of a step
 * @param pages pages of all sequences together
 */
public record StateBudget(int maxSequences, int planes, long pages) {

    public StateBudget {
        if (maxSequences < 1) {
            throw new IllegalArgumentException("ringside.scheduler.max-active: found " + maxSequences + ", expected at least 1");
        }
        if (planes < 2) {
            throw new IllegalArgumentException("A sequence needs at least 2 planes, one to read and one to write, found " + planes);
        }
        if (pages < 1 || pages > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("Sequence state needs 1 to " + (Integer.MAX_VALUE - 8) + " pages, found " + pages);
        }
    }
}
