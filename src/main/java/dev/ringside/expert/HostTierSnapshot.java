package dev.ringside.expert;

/**
 * The host tier at one moment.
 *
 * @param slots experts that fit, 0 without a tier
 * @param resident experts it holds
 * @param hits misses of the arena that were found here
 * @param evictions experts that gave way
 */
public record HostTierSnapshot(int slots, int resident, long hits, long evictions) {

    /** Without a tier. */
    public static final HostTierSnapshot NONE = new HostTierSnapshot(0, 0, 0, 0);
}
