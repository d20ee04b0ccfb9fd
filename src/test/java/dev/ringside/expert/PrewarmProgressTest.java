package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PrewarmProgressTest {

    private final AtomicLong nanos = new AtomicLong(-7);

    @Test
    void aLineComesAtMostEveryInterval() {
        PrewarmProgress progress = new PrewarmProgress(nanos::get, 6144);

        assertThat(progress.advance(600)).isEmpty();
        nanos.addAndGet(PrewarmProgress.INTERVAL.toNanos());
        assertThat(progress.advance(600)).contains("Pre-warming experts: 1,200 of 6,144");
        nanos.addAndGet(PrewarmProgress.INTERVAL.toNanos() - 1);
        assertThat(progress.advance(600)).isEmpty();
        nanos.incrementAndGet();
        assertThat(progress.advance(600)).contains("Pre-warming experts: 2,400 of 6,144");
    }

    @Test
    void theLastExpertsNeedNoLine() {
        PrewarmProgress progress = new PrewarmProgress(nanos::get, 8);
        nanos.addAndGet(2 * PrewarmProgress.INTERVAL.toNanos());

        assertThat(progress.advance(8)).isEmpty();
    }
}
