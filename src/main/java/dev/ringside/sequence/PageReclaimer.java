package dev.ringside.sequence;

/** Gives up pages that nobody needs at once. */
interface PageReclaimer {

    /** Gives pages up until {@code needed} are free, or there are no more to give up. */
    void reclaim(int needed);
}
