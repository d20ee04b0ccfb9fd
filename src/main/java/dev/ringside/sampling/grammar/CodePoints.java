package dev.ringside.sampling.grammar;

import java.util.Arrays;

/** An immutable set of code points, surrogates excepted. */
final class CodePoints {

    static final CodePoints ALL = new CodePoints(new int[] {0, 0xD7FF, 0xE000, Character.MAX_CODE_POINT});

    /** Pairs of first and last code point, ascending, with gaps between. */
    private final int[] ranges;

    private CodePoints(int[] ranges) {
        this.ranges = ranges;
    }

    static CodePoints of(int... codePoints) {
        int[] pairs = new int[2 * codePoints.length];
        for (int i = 0; i < codePoints.length; i++) {
            pairs[2 * i] = codePoints[i];
            pairs[2 * i + 1] = codePoints[i];
        }
        return ranges(pairs);
    }

    /** @param pairs first and last code point of each range, in any order */
    static CodePoints ranges(int... pairs) {
        long[] sorted = new long[pairs.length / 2];
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = (long) pairs[2 * i] << 32 | pairs[2 * i + 1];
        }
        Arrays.sort(sorted);
        int[] merged = new int[pairs.length];
        int size = 0;
        for (long pair : sorted) {
            int low = (int) (pair >>> 32);
            int high = (int) pair;
            if (size > 0 && low <= merged[size - 1] + 1) {
                merged[size - 1] = Math.max(merged[size - 1], high);
            } else {
                merged[size++] = low;
                merged[size++] = high;
            }
        }
        return new CodePoints(Arrays.copyOf(merged, size)).withoutSurrogates();
    }

    private CodePoints withoutSurrogates() {
        for (int i = 0; i < ranges.length; i += 2) {
            if (ranges[i] <= 0xDFFF && ranges[i + 1] >= 0xD800) {
                return complement().complement();
            }
        }
        return this;
    }

    CodePoints union(CodePoints other) {
        int[] both = Arrays.copyOf(ranges, ranges.length + other.ranges.length);
        System.arraycopy(other.ranges, 0, both, ranges.length, other.ranges.length);
        return ranges(both);
    }

    CodePoints complement() {
        int[] gaps = new int[ranges.length + 6];
        int size = 0;
        int next = 0;
        for (int i = 0; i <= ranges.length; i += 2) {
            int low = i < ranges.length ? ranges[i] : Character.MAX_CODE_POINT + 1;
            if (low > next) {
                size = addWithoutSurrogates(gaps, size, next, low - 1);
            }
            next = i < ranges.length ? ranges[i + 1] + 1 : next;
        }
        return new CodePoints(Arrays.copyOf(gaps, size));
    }

    private static int addWithoutSurrogates(int[] target, int size, int low, int high) {
        int end = size;
        if (low < 0xD800) {
            target[end++] = low;
            target[end++] = Math.min(high, 0xD7FF);
        }
        if (high > 0xDFFF) {
            target[end++] = Math.max(low, 0xE000);
            target[end++] = high;
        }
        return end;
    }

    CodePoints intersect(CodePoints other) {
        return complement().union(other.complement()).complement();
    }

    CodePoints minus(CodePoints other) {
        return complement().union(other).complement();
    }

    boolean isEmpty() {
        return ranges.length == 0;
    }

    boolean contains(int codePoint) {
        for (int i = 0; i < ranges.length; i += 2) {
            if (codePoint >= ranges[i] && codePoint <= ranges[i + 1]) {
                return true;
            }
        }
        return false;
    }

    int rangeCount() {
        return ranges.length / 2;
    }

    int low(int range) {
        return ranges[2 * range];
    }

    int high(int range) {
        return ranges[2 * range + 1];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CodePoints that && Arrays.equals(ranges, that.ranges);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(ranges);
    }
}
