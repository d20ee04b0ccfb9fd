package dev.ringside.sampling;

/**
 * Random numbers of one request: SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014)
 * with the golden-ratio increment. The whole state is one {@code long}, so a suspended request carries it along, and the sequence of a
 * seed never changes with the JDK, which its {@code SplittableRandom} does not promise.
 */
public final class RandomStream {

    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private long state;

    public RandomStream(long seed) {
        this.state = seed;
    }

    /** The next 64 bits. */
    public long nextLong() {
        state += GOLDEN_GAMMA;
        long z = state;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Uniform in [0, 1), a multiple of 2^-53. */
    public double nextDouble() {
        return (nextLong() >>> 11) * 0x1.0p-53;
    }

    /** A stream of its own, seeded with the next 64 bits of this one. */
    public RandomStream split() {
        return new RandomStream(nextLong());
    }

    /** What {@link #restore} needs to go on from here. */
    public long state() {
        return state;
    }

    public void restore(long saved) {
        state = saved;
    }
}
