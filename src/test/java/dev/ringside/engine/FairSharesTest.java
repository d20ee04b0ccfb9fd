package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FairSharesTest {

    @Test
    void onePromptGetsEverything() {
        assertThat(divide(16, 100)).containsExactly(16);
    }

    @Test
    void whatAShortPromptLeavesGoesToTheLongOne() {
        assertThat(divide(16, 100, 3)).containsExactly(13, 3);
    }

    @Test
    void longPromptsShareEqually() {
        assertThat(divide(17, 100, 100, 2, 100)).containsExactly(5, 5, 2, 5);
    }

    @Test
    void oddRowsGoToTheFront() {
        assertThat(divide(5, 9, 9, 9)).containsExactly(2, 2, 1);
    }

    @Test
    void nothingIsGivenBeyondWhatIsWanted() {
        assertThat(divide(100, 1, 2, 3)).containsExactly(1, 2, 3);
    }

    @Test
    void everySplitUsesTheBudgetAndDiffersByAtMostOneRowAmongThoseUnsatisfied() {
        Random random = new Random(5);
        for (int round = 0; round < 2000; round++) {
            int[] wanted = random.ints(1 + random.nextInt(8), 1, 40).toArray();
            int budget = random.nextInt(120);
            int[] shares = divide(budget, wanted);

            assertThat(Arrays.stream(shares).sum()).isEqualTo(Math.min(budget, Arrays.stream(wanted).sum()));
            int most = Arrays.stream(shares).max().orElse(0);
            for (int i = 0; i < wanted.length; i++) {
                assertThat(shares[i]).as("%d rows for %s", budget, Arrays.toString(wanted)).isLessThanOrEqualTo(wanted[i]);
                if (shares[i] < wanted[i]) {
                    assertThat(most - shares[i]).as("%d rows for %s", budget, Arrays.toString(wanted)).isLessThanOrEqualTo(1);
                }
            }
        }
    }

    private static int[] divide(int budget, int... wanted) {
        int[] shares = new int[wanted.length];
        FairShares.divide(budget, wanted, wanted.length, shares);
        return shares;
    }
}
