package dev.ringside.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.expert.ExpertSnapshot;
import dev.ringside.expert.HostTierSnapshot;
import dev.ringside.expert.ShardSnapshot;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

class ExpertFilesHealthIndicatorTest {

    private static Health health(String breaker) {
        ShardSnapshot shard = new ShardSnapshot("model-2.gguf", "direct", 512, breaker, 3, 5, 7, 0);
        ExpertSnapshot.Tier tier = new ExpertSnapshot.Tier("lru", HostTierSnapshot.NONE, 0, 0, 0, 0, List.of(shard));
        ExpertSnapshot experts = new ExpertSnapshot("device", 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, List.of(), tier);
        EngineViews sample = new SampleViews().views();
        return new ExpertFilesHealthIndicator(new EngineViews(sample.modelId(), sample.model(), sample.contextLength(), sample.device(),
                sample.ready(), sample.memory(), () -> experts, sample.state(), sample.engine(), sample.scheduler(), sample.prefixes(),
                sample.prefixOperations(), sample.deviceFault(), sample.watchdog())).health();
    }

    @Test
    void fileThatIsNotReadIsNamedAndOutOfService() {
        assertThat(health("open").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(health("open").getDetails()).containsEntry("failing", List.of("model-2.gguf"));
    }

    @Test
    void fileThatIsTriedAgainIsUp() {
        assertThat(health("half-open").getStatus()).isEqualTo(Status.UP);
        assertThat(health("closed").getStatus()).isEqualTo(Status.UP);
    }
}
