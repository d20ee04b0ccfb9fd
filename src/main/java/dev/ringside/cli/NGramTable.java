package dev.ringside.cli;

/**
 * Constants of an n-gram hash embedding, derived as the released model's were: odd multipliers from splitmix64, and for each hash head the
 * next prime as its number of rows.
 *
 * @param order longest n-gram
 * @param multipliers one for each token of an n-gram
 * @param rows rows of the table, all heads and the padding to a multiple of 128
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never changed
record NGramTable(int order, int headsPerOrder, long[] multipliers, long[] headSizes, long[] headOffsets, long rows) {

    /** What the 16 heads of the released model start from: 20 million rows each. */
    static final long RELEASED_ROWS = 320_000_000;

    private static final long SEED = 1234;
    private static final long GAMMA = 0x9E3779B97F4A7C15L;
    private static final int PADDING = 128;

    static NGramTable of(int order, int headsPerOrder, long rows, int vocabulary) {
        long half = Long.MAX_VALUE / vocabulary / 2;
        long[] multipliers = new long[order];
        for (int i = 0; i < order; i++) {
            multipliers[i] = 2 * Long.remainderUnsigned(splitMix(SEED + GAMMA * (i + 1)), half) + 1;
        }
        int heads = (order - 1) * headsPerOrder;
        long[] sizes = new long[heads];
        long[] offsets = new long[heads];
        long size = rows / heads - 1;
        long total = 0;
        for (int head = 0; head < heads; head++) {
            size = primeAfter(size);
            sizes[head] = size;
            offsets[head] = total;
            total += size;
        }
        return new NGramTable(order, headsPerOrder, multipliers, sizes, offsets, (total + PADDING - 1) / PADDING * PADDING);
    }

    private static long splitMix(long state) {
        long z = state + GAMMA;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    private static long primeAfter(long number) {
        long candidate = Math.max(2, number + 1);
        while (!prime(candidate)) {
            candidate++;
        }
        return candidate;
    }

    private static boolean prime(long number) {
        for (long factor = 2; factor * factor <= number; factor++) {
            if (number % factor == 0) {
                return false;
            }
        }
        return number > 1;
    }
}
