package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PromptBudgetTest {

    private static final Duration TARGET = Duration.ofMillis(100);

    @Test
    void growsToAllRowsOfAStepWhileStepsAreQuick() {
        PromptBudget budget = new PromptBudget(200, TARGET);
        assertThat(budget.rows(0)).isEqualTo(32);
        for (int expected : new int[] {64, 128, 200, 200}) {
            budget.computed(0, budget.rows(0), TimeUnit.MILLISECONDS.toNanos(20));
            assertThat(budget.rows(0)).isEqualTo(expected);
        }
    }

    @Test
    void shrinksInProportionToAStepThatTookTooLong() {
        PromptBudget budget = grown(256);
        budget.computed(0, 256, TimeUnit.SECONDS.toNanos(2));

        assertThat(budget.rows(0)).isEqualTo(64);
    }

    @Test
    void neverCutsAProductIntoPiecesThatGainNothing() {
        PromptBudget budget = grown(256);
        budget.computed(0, 256, TimeUnit.MINUTES.toNanos(1));

        assertThat(budget.rows(0)).isEqualTo(32);
    }

    @Test
    void stepsThatWereNotFullSayNothingAboutLargerOnes() {
        PromptBudget budget = new PromptBudget(256, TARGET);
        budget.computed(0, 5, 1);
        budget.computed(3, 5, 1);

        assertThat(budget.rows(0)).isEqualTo(32);
        assertThat(budget.rows(3)).isEqualTo(32);
    }

    @Test
    void aSmallStepIsUsedWhole() {
        PromptBudget budget = new PromptBudget(6, TARGET);

        assertThat(budget.rows(0)).isEqualTo(6);
        assertThat(budget.rows(2)).isEqualTo(6);
    }

    @Test
    void fillsTheTargetBesideDecodingRows() {
        PromptBudget budget = new PromptBudget(4096, TARGET);

        // Decoding takes 40 ms and every prompt row 1 ms.
        run(budget, 50, 40, 1);

        assertThat(budget.rows(4)).isBetween(55, 61);
    }

    @Test
    void followsDecodingThatBecomesSlower() {
        PromptBudget budget = new PromptBudget(4096, TARGET);
        run(budget, 50, 10, 1);
        assertThat(budget.rows(4)).isBetween(84, 91);

        run(budget, 50, 70, 1);

        assertThat(budget.rows(4)).isBetween(25, 31);
    }

    @Test
    void promptsMoveEvenWhenDecodingAloneTakesLongerThanTheTarget() {
        PromptBudget budget = new PromptBudget(4096, TARGET);
        run(budget, 50, 400, 1);

        assertThat(budget.rows(4)).isEqualTo(8);
    }

    @Test
    void oneSlowStepCostsHalfTheRowsAtMost() {
        PromptBudget budget = new PromptBudget(4096, TARGET);
        run(budget, 50, 40, 1);
        int before = budget.rows(4);
        budget.computed(4, before, TimeUnit.SECONDS.toNanos(30));

        assertThat(budget.rows(4)).isBetween(before / 2 - 1, before / 2 + 1);
    }

    @Test
    void withoutATargetAStepMayTakeTwiceWhatDecodingTakes() {
        PromptBudget budget = new PromptBudget(4096, Duration.ZERO);
        run(budget, 200, 30, 1);
        // Unless this happens to be the step that decodes alone.
        budget.computed(4, 0, TimeUnit.MILLISECONDS.toNanos(30));

        assertThat(budget.rows(4)).isBetween(26, 31);
    }

    @Test
    void withoutATargetDecodingIsMeasuredByItselfNowAndThen() {
        PromptBudget budget = new PromptBudget(4096, Duration.ZERO);
        assertThat(budget.rows(4)).as("nothing is known yet").isZero();

        int alone = 0;
        for (int step = 0; step < 650; step++) {
            int rows = budget.rows(4);
            alone += rows == 0 ? 1 : 0;
            budget.computed(4, rows, TimeUnit.MILLISECONDS.toNanos(30 + rows));
        }
        assertThat(alone).isEqualTo(10);
    }

    /** Steps of decoding rows beside as many prompt rows as are allowed. */
    private static void run(PromptBudget budget, int steps, int decodeMillis, int rowMillis) {
        for (int step = 0; step < steps; step++) {
            int rows = budget.rows(4);
            budget.computed(4, rows, TimeUnit.MILLISECONDS.toNanos(decodeMillis + (long) rows * rowMillis));
        }
    }

    private static PromptBudget grown(int most) {
        PromptBudget budget = new PromptBudget(most, TARGET);
        while (budget.rows(0) < most) {
            budget.computed(0, budget.rows(0), 1);
        }
        return budget;
    }
}
