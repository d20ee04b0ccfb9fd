package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PromptBudgetTest {

    @Test
    void growsToAllRowsOfAStepWhileStepsAreQuick() {
        PromptBudget budget = new PromptBudget(200);
        assertThat(budget.rows()).isEqualTo(32);
        for (int expected : new int[] {64, 128, 200, 200}) {
            budget.computed(budget.rows(), TimeUnit.MILLISECONDS.toNanos(20));
            assertThat(budget.rows()).isEqualTo(expected);
        }
    }

    @Test
    void shrinksInProportionToAStepThatTookTooLong() {
        PromptBudget budget = grown(256);
        budget.computed(256, TimeUnit.SECONDS.toNanos(2));

        assertThat(budget.rows()).isEqualTo(64);
    }

    @Test
    void neverCutsAProductIntoPiecesThatGainNothing() {
        PromptBudget budget = grown(256);
        budget.computed(256, TimeUnit.MINUTES.toNanos(1));

        assertThat(budget.rows()).isEqualTo(32);
    }

    @Test
    void stepsThatWereNotFullSayNothingAboutLargerOnes() {
        PromptBudget budget = new PromptBudget(256);
        budget.computed(5, 1);

        assertThat(budget.rows()).isEqualTo(32);
    }

    @Test
    void aSmallStepIsUsedWhole() {
        assertThat(new PromptBudget(8).rows()).isEqualTo(8);
    }

    private static PromptBudget grown(int most) {
        PromptBudget budget = new PromptBudget(most);
        while (budget.rows() < most) {
            budget.computed(budget.rows(), 1);
        }
        return budget;
    }
}
