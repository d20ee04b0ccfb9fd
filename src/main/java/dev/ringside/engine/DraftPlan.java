package dev.ringside.engine;

/**
 * How many tokens to draft for a sequence. With an acceptance rate p, k drafts bring 1 + p + ... + p^k tokens a step; the step takes longer by
 * what k more rows and k runs of the draft block cost, both measured while the engine runs. The k with the most tokens per second is taken, 0
 * when drafting does not pay, as on busy steps, whose rows are no longer nearly free.
 */
final class DraftPlan {

    private static final double WEIGHT_OF_LAST = 0.1;
    private static final double FIRST_RATE = 0.7;
    /** What one more row per sequence is taken to cost, as a share of the step, before it was measured: little, so that it is tried. */
    private static final double UNMEASURED_ROW = 0.1;
    /** Steps after which a sequence that drafts nothing drafts once, to see whether it would pay by now. */
    private static final int PROBE_AFTER = 64;

    private final int most;
    private final boolean adaptive;
    /** By number of rows; 0 where no such step was measured. */
    private final double[] stepNanos;
    private double draftNanos;
    private double feedNanos;
    private double rate = FIRST_RATE;

    /** @param maxRows most rows of steps that drafts are verified in */
    DraftPlan(SpeculationOptions options, int maxRows) {
        this.most = options.maxDrafts();
        this.adaptive = options.adaptive();
        this.stepNanos = new double[maxRows + 1];
    }

    /** The acceptance rate to begin a sequence with. */
    double rate() {
        return rate;
    }

    /**
     * Drafts for the next step of a sequence.
     *
     * @param acceptance its acceptance rate
     * @param idle steps since it drafted
     * @param sequences those that generate in the next step
     */
    int drafts(double acceptance, int idle, int sequences) {
        if (!adaptive) {
            return most;
        }
        int best = 0;
        double bestValue = 1 / (cost(sequences) + feedNanos);
        double tokens = 1;
        double power = 1;
        for (int k = 1; k <= most && sequences * (k + 1) < stepNanos.length; k++) {
            power *= acceptance;
            tokens += power;
            double value = tokens / (cost(sequences * (k + 1)) + k * draftNanos);
            if (value > bestValue) {
                bestValue = value;
                best = k;
            }
        }
        return best == 0 && idle >= PROBE_AFTER && sequences * 2 < stepNanos.length ? 1 : best;
    }

    /** The rate of a sequence behind a step with drafts. */
    double verified(double acceptance, int drafts, int accepted) {
        double next = acceptance;
        for (int i = 0; i < Math.min(drafts, accepted + 1); i++) {
            double outcome = i < accepted ? 1 : 0;
            next += WEIGHT_OF_LAST * (outcome - next);
            rate += WEIGHT_OF_LAST * (outcome - rate) / 4;
        }
        return next;
    }

    /** Takes note of a step without prompt rows. */
    void stepped(int rows, long nanos) {
        if (rows < stepNanos.length) {
            stepNanos[rows] = mean(stepNanos[rows], nanos);
        }
    }

    /** Takes note of a run of the draft block for one token of each sequence. */
    void drafted(long nanos) {
        draftNanos = mean(draftNanos, nanos);
    }

    /** Takes note of a run of the draft block that only follows the sequences. */
    void fed(long nanos) {
        feedNanos = mean(feedNanos, nanos);
    }

    private static double mean(double before, long nanos) {
        return before == 0 ? nanos : before + WEIGHT_OF_LAST * (nanos - before);
    }

    private double cost(int rows) {
        int below = rows;
        while (below > 0 && stepNanos[below] == 0) {
            below--;
        }
        if (below == rows) {
            return stepNanos[rows];
        }
        int above = rows;
        while (above < stepNanos.length && stepNanos[above] == 0) {
            above++;
        }
        if (below == 0) {
            return above == stepNanos.length ? 1 + UNMEASURED_ROW * rows : stepNanos[above] * (1 + rows) / (1 + above);
        }
        if (above == stepNanos.length) {
            return stepNanos[below] * (1 + UNMEASURED_ROW * (rows - below) / below);
        }
        return stepNanos[below] + (stepNanos[above] - stepNanos[below]) * (rows - below) / (above - below);
    }
}
