package dev.ringside.ops;

import dev.ringside.sequence.StateSnapshot;
import dev.ringside.serving.RequestInfo;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.stereotype.Component;

/** {@code /actuator/sequences}: every request that runs or waits, without its text; {@code /actuator/sequences/ID} is one. */
@Component
@Endpoint(id = "sequences")
final class SequencesEndpoint {

    private final EngineViews views;
    private final LiveSequences live;

    SequencesEndpoint(EngineViews views, LiveSequences live) {
        this.views = views;
        this.live = live;
    }

    /** All sequences as JSON. */
    record Descriptor(int active, int queued, int suspended, long bytes, List<Sequence> sequences) {}

    /**
     * One sequence.
     *
     * @param state queued, prompt, generating or suspended
     * @param tokens of which it has state: prompt tokens computed or reused, and tokens generated
     * @param bytes of state on the device, 0 while it has none; pages shared with others count for each
     * @param key name of the API key it came with, null without one
     */
    record Sequence(String id, String state, String priority, long ageMillis, int promptTokens, int promptDone, int generated,
            int maxTokens, int tokens, long bytes, @Nullable String key) {}

    @ReadOperation
    Descriptor sequences() {
        StateSnapshot state = views.state().get();
        List<Sequence> all = live.list().stream().map(each -> sequence(each, state)).toList();
        return new Descriptor(count(all, RequestInfo.State.PROMPT) + count(all, RequestInfo.State.GENERATING),
                count(all, RequestInfo.State.QUEUED), count(all, RequestInfo.State.SUSPENDED), state.bytesUsed(), all);
    }

    /** Null, which Actuator answers with 404, when there is none of this id. */
    @ReadOperation
    @Nullable
    Sequence sequence(@Selector String id) {
        StateSnapshot state = views.state().get();
        return live.list().stream().filter(each -> each.id().equals(id)).findFirst().map(each -> sequence(each, state)).orElse(null);
    }

    private static int count(List<Sequence> all, RequestInfo.State state) {
        return (int) all.stream().filter(each -> each.state().equals(name(state))).count();
    }

    private static Sequence sequence(RequestInfo request, StateSnapshot state) {
        int tokens = request.promptDone() + request.generated();
        boolean onDevice = request.state() == RequestInfo.State.PROMPT || request.state() == RequestInfo.State.GENERATING;
        long bytes = onDevice
                ? Math.ceilDiv(tokens, Math.max(1, state.pageTokens())) * state.pageBytes() + state.planesPerSequence() * state.planeBytes()
                : 0;
        return new Sequence(request.id(), name(request.state()), name(request.priority()), request.age().toMillis(),
                request.promptTokens(), request.promptDone(), request.generated(), request.maxTokens(), tokens, bytes, request.keyName());
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
