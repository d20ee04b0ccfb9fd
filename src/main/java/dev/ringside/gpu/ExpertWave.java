package dev.ringside.gpu;

/**
 * Experts that are in slots now and the (row, choice) pairs each of them serves. Reused from step to step; fields are written by the
 * routing code and read by {@link Kernels#experts}.
 *
 * <p>Group g is the expert {@code expert[g]}: its slot begins at {@code slotAddress[g]}, and it serves the pairs {@code pairs[firstPair[g]]} to
 * {@code pairs[firstPair[g + 1] - 1]}. A pair is {@code row * choices + choice}.
 */
public final class ExpertWave {

    public final int[] expert;
    public final long[] slotAddress;
    public final int[] firstPair;
    public final int[] pairs;
    public int groups;

    /**
     * @param maxGroups most experts in one wave
     * @param maxPairs most (row, choice) pairs of a step
     */
    public ExpertWave(int maxGroups, int maxPairs) {
        this.expert = new int[maxGroups];
        this.slotAddress = new long[maxGroups];
        this.firstPair = new int[maxGroups + 1];
        this.pairs = new int[maxPairs];
    }
}
