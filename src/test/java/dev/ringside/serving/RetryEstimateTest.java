package dev.ringside.serving;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RetryEstimateTest {

    private static final long SECOND = 1_000_000_000L;

    private final RetryEstimate estimate = new RetryEstimate();

    @Test
    void isAtLeastASecond() {
        assertThat(estimate.untilNextPlace(1, 0)).hasSeconds(1);
    }

    @Test
    void takesTheLongestRunningAsExampleBeforeAnythingHasEnded() {
        assertThat(estimate.untilNextPlace(4, 40 * SECOND)).hasSeconds(10);
    }

    @Test
    void dividesWhatARequestTakesByThoseThatRun() {
        estimate.served(30 * SECOND);

        assertThat(estimate.untilNextPlace(4, 0)).hasSeconds(8);
    }

    @Test
    void followsWhatRequestsTakeLately() {
        estimate.served(100 * SECOND);
        for (int i = 0; i < 50; i++) {
            estimate.served(10 * SECOND);
        }

        assertThat(estimate.untilNextPlace(1, 0)).hasSeconds(11);
    }

    @Test
    void isNeverMoreThanTenMinutes() {
        assertThat(estimate.untilNextPlace(1, 100_000 * SECOND)).hasSeconds(600);
    }
}
