package dev.ringside.engine;

import java.time.Duration;

/**
 * How many prompt rows a step may take, so that it ends soon enough for whoever waits for its end: a cancelled request to leave, a new one to
 * enter, a decoding one to get its next token. There are two budgets. In steps of prompts alone the half second rules; rows double while steps
 * are quick and shrink in proportion when one was slow. In steps where others decode, the target between two tokens rules, or, without one, twice
 * what a step without prompt rows takes: the slowest tokens then come at most about three times later than most. Both start low because the
 * first steps run uncompiled code.
 */
final class PromptBudget {

    /** Half of the second within which a place has to be free after its client left. */
    private static final long LONGEST_NANOS = 500_000_000;
    /** Below this a matrix product gains little from further cutting, and costs a pass over the weights each time. */
    private static final int LEAST = 32;
    /** Beside decoding rows, whose pass over the weights is paid in any case. */
    private static final int LEAST_BESIDE = 8;
    private static final double AUTOMATIC = 2;
    private static final double WEIGHT_OF_LAST = 0.2;
    /** Steps with decoding rows after which one without prompt rows is due, to see what that takes now. */
    private static final int LAST_SEEN = 64;

    private final int most;
    private final long target;
    private int alone;
    private double beside;
    private double decodeNanos;
    private int sinceDecode;

    /**
     * @param most rows a step can hold
     * @param target what a step with decoding rows may take; zero takes a multiple of one without prompt rows
     */
    PromptBudget(int most, Duration target) {
        this.most = most;
        this.target = target.toNanos();
        this.alone = Math.min(most, LEAST);
        this.beside = alone;
    }

    /** Prompt rows of the next step; 0 only beside decoding rows, now and then. */
    int rows(int decodeRows) {
        if (decodeRows == 0) {
            return alone;
        }
        return target == 0 && (decodeNanos == 0 || sinceDecode >= LAST_SEEN) ? 0 : (int) beside;
    }

    /** Takes note of a step that computed so many prompt rows, and other rows beside them, in so many nanoseconds. */
    void computed(int decodeRows, int promptRows, long nanos) {
        if (decodeRows == 0) {
            computedAlone(promptRows, nanos);
        } else if (promptRows == 0) {
            decodeNanos = decodeNanos == 0 ? nanos : decodeNanos + WEIGHT_OF_LAST * (nanos - decodeNanos);
            sinceDecode = 0;
        } else {
            sinceDecode++;
            computedBeside(promptRows, nanos);
        }
    }

    private void computedAlone(int promptRows, long nanos) {
        if (nanos > LONGEST_NANOS) {
            long fitting = (long) (promptRows * ((double) LONGEST_NANOS / nanos));
            alone = (int) Math.clamp(fitting, Math.min(most, LEAST), alone);
        } else if (promptRows >= alone) {
            alone = (int) Math.min(most, 2L * alone);
        }
    }

    private void computedBeside(int promptRows, long nanos) {
        double allowed = Math.min(LONGEST_NANOS, target == 0 ? AUTOMATIC * decodeNanos : target);
        double fitting = promptRows * allowed / Math.max(1, nanos);
        if (nanos > allowed || promptRows >= (int) beside) {
            double least = Math.min(most, LEAST_BESIDE);
            // What one step takes is noisy (experts that had to be read): never more than a factor of two at a time.
            double next = Math.clamp(fitting, beside / 2, nanos > allowed ? beside : 2 * beside);
            beside = Math.clamp(next, least, (double) most);
        }
    }
}
