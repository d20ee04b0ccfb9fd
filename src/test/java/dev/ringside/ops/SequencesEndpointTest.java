package dev.ringside.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.Priority;
import dev.ringside.serving.RequestInfo;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SequencesEndpointTest {

    private final SequencesEndpoint endpoint = new SequencesEndpoint(new SampleViews().views(),
            () -> List.of(request("a", RequestInfo.State.GENERATING, 100, 28), request("b", RequestInfo.State.QUEUED, 0, 0),
                    request("c", RequestInfo.State.SUSPENDED, 100, 5)));

    @Test
    void everySequenceHasTokensBytesAndState() {
        SequencesEndpoint.Descriptor all = endpoint.sequences();

        assertThat(all.active()).isEqualTo(1);
        assertThat(all.queued()).isEqualTo(1);
        assertThat(all.suspended()).isEqualTo(1);
        assertThat(all.sequences()).extracting(SequencesEndpoint.Sequence::state).containsExactly("generating", "queued", "suspended");
        // Two pages of 64 tokens, and two planes.
        assertThat(all.sequences().getFirst().tokens()).isEqualTo(128);
        assertThat(all.sequences().getFirst().bytes()).isEqualTo(2 * 1024 + 2 * 2048);
        assertThat(all.sequences()).extracting(SequencesEndpoint.Sequence::bytes).containsExactly(6144L, 0L, 0L);
    }

    @Test
    void oneSequenceCanBeAskedFor() {
        assertThat(endpoint.sequence("c")).extracting(SequencesEndpoint.Sequence::generated).isEqualTo(5);
        assertThat(endpoint.sequence("d")).isNull();
    }

    private static RequestInfo request(String id, RequestInfo.State state, int promptDone, int generated) {
        return new RequestInfo(id, Priority.INTERACTIVE, state, Duration.ofMillis(1500), 100, promptDone, generated, 200, "team-a");
    }
}
