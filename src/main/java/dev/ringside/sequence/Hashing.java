package dev.ringside.sequence;

/** 64-bit hashes that are the same in every run: they are written to files. */
final class Hashing {

    private Hashing() {}

    static long start(long value) {
        return add(0x9E3779B97F4A7C15L, value);
    }

    /** Steele and Vigna's finaliser of SplitMix64 over the sum. */
    static long add(long hash, long value) {
        long z = (hash ^ value) * 0xBF58476D1CE4E5B9L + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    static long add(long hash, String text) {
        long sum = add(hash, text.length());
        for (int i = 0; i < text.length(); i++) {
            sum = add(sum, text.charAt(i));
        }
        return sum;
    }
}
