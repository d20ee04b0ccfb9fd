package dev.ringside.expert;

import java.util.Map;

/** Chooses which slot of a cache gives way. Belongs to the cache's thread; never allocates. */
interface VictimPolicy {

    /** One gather's distinct experts, before it evicts anything. */
    default void asked(int layer, int[] experts, int count) {
        // Most policies go by recency, which the cache keeps.
    }

    /** The cache has another number of slots now. */
    default void resized(int slots) {
        // Most policies keep nothing of that size.
    }

    /** An evictable slot of the cache, which has at least one. */
    int victim(ExpertCache cache);

    /** What an operator may see of the policy's state: its name, or the name of what it follows. */
    String text();

    /** Victims chosen so far by each policy that is followed at times; empty when there is only this one. From any thread. */
    default Map<String, Long> choices() {
        return Map.of();
    }
}
