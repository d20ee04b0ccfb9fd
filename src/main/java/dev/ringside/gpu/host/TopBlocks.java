package dev.ringside.gpu.host;

import java.util.Arrays;

/** Chooses the greatest of many scores by radix selection on their bits: four passes whatever the number kept. */
final class TopBlocks {

    private static final int BITS = 11;
    private static final int DIGITS = 1 << BITS;

    private final int[] histogram = new int[DIGITS];

    /**
     * Writes the indexes of the {@code keep} greatest scores in ascending order; of equal scores the lowest indexes are kept.
     *
     * @param scores {@code count} floats, none negative or NaN
     * @param keep fewer than {@code count}
     * @param indexes out, {@code keep} ints
     */
    void choose(long scores, int count, int keep, long indexes) {
        int prefix = 0;
        int open = keep;
        // 31 bits without the sign: the highest 11, the next 11, the last 9
        for (int shift = 20;; shift = Math.max(0, shift - BITS)) {
            int width = shift == 0 ? 9 : BITS;
            open = narrow(scores, count, prefix, shift, width, open);
            prefix = prefix << width | digit;
            if (shift == 0) {
                break;
            }
        }
        int threshold = prefix;
        int written = 0;
        for (int i = 0; written < keep; i++) {
            int bits = HostMemory.getInt(scores + 4L * i);
            if (bits > threshold || (bits == threshold && open-- > 0)) {
                HostMemory.setInt(indexes + 4L * written++, i);
            }
        }
    }

    private int digit;

    /** Finds the digit at which the {@code open}-th greatest score with this prefix lies; returns how many are still open below it. */
    private int narrow(long scores, int count, int prefix, int shift, int width, int open) {
        Arrays.fill(histogram, 0);
        int mask = (1 << width) - 1;
        for (int i = 0; i < count; i++) {
            int bits = HostMemory.getInt(scores + 4L * i);
            if (bits >>> shift + width == prefix) {
                histogram[bits >>> shift & mask]++;
            }
        }
        int left = open;
        int candidate = mask;
        while (histogram[candidate] < left) {
            left -= histogram[candidate--];
        }
        digit = candidate;
        return left;
    }
}
