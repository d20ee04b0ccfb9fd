package dev.ringside.engine;

/**
 * How many prompt rows a step may take, so that it ends soon enough for whoever waits for its end: a cancelled request to leave, a new one to
 * enter, a decoding one to get its next token. Doubles while steps are quick, shrinks in proportion when one was slow, and starts low because
 * the first steps run uncompiled code.
 */
final class PromptBudget {

    /** Half of the second within which a place has to be free after its client left. */
    private static final long TARGET_NANOS = 500_000_000;
    /** Below this a matrix product gains little from further cutting, and costs a pass over the weights each time. */
    private static final int LEAST = 32;

    private final int most;
    private int rows;

    /** @param most rows a step can hold */
    PromptBudget(int most) {
        this.most = most;
        this.rows = Math.min(most, LEAST);
    }

    int rows() {
        return rows;
    }

    /** Takes note of a step that computed so many prompt rows, and other rows beside them, in so many nanoseconds. */
    void computed(int promptRows, long nanos) {
        if (nanos > TARGET_NANOS) {
            long fitting = (long) (promptRows * ((double) TARGET_NANOS / nanos));
            rows = (int) Math.clamp(fitting, Math.min(most, LEAST), rows);
        } else if (promptRows >= rows) {
            rows = (int) Math.min(most, 2L * rows);
        }
    }
}
