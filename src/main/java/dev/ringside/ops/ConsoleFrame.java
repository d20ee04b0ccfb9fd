package dev.ringside.ops;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.ringside.engine.EngineSnapshot;
import dev.ringside.engine.SpeculationSnapshot;
import dev.ringside.expert.ExpertMap;
import dev.ringside.expert.ExpertSnapshot;
import dev.ringside.sequence.PrefixSnapshot;
import dev.ringside.sequence.StateSnapshot;
import dev.ringside.serving.SchedulerSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the console's live stream sends. Counters count from the start of the server; the page works out rates. */
sealed interface ConsoleFrame {

    /**
     * The first frame: what does not change.
     *
     * @param layers layers with experts
     * @param experts number of experts of each
     * @param intervalMillis time between two frames
     */
    record Hello(String model, String architecture, int contextLength, String device, String backend, List<Integer> layers, int[] experts,
            long intervalMillis) implements ConsoleFrame {}

    /** A frame of figures. Bytes are bytes, times milliseconds. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Tick(long millis, boolean ready, Tokens tokens, SchedulerSnapshot scheduler, Step step, State state, PrefixSnapshot prefixes,
            @Nullable Drafts drafts, Experts experts, @Nullable String map) implements ConsoleFrame {}

    record Tokens(long generated, long prompt) {}

    /** The last step of the engine. */
    record Step(long count, int rows, double millis) {}

    /** State of running sequences. */
    record State(int sequences, long bytes, long budget, long pages, long pagesShared) {}

    /** Draft tokens, where they are made. */
    record Drafts(long drafted, long accepted, double tokensPerStep) {

        static @Nullable Drafts of(SpeculationSnapshot now) {
            return now.enabled() ? new Drafts(now.drafted(), now.accepted(), now.tokensPerStep()) : null;
        }
    }

    record Experts(String arena, int slots, int resident, long hits, long misses, long evictions, long bytesRead, long waitMillis) {}

    static Hello hello(EngineViews views, ExpertMap map, long intervalMillis) {
        return new Hello(views.modelId(), views.model().architecture(), views.contextLength(), views.device().name(),
                views.device().backend(), map.layers(), map.experts(), intervalMillis);
    }

    static Tick tick(EngineViews views, @Nullable String map, long millis) {
        EngineSnapshot engine = views.engine().get();
        StateSnapshot state = views.state().get();
        ExpertSnapshot experts = views.experts().get();
        return new Tick(millis, views.ready().getAsBoolean(), new Tokens(engine.generatedTokens(), engine.promptTokens()),
                views.scheduler().get(), new Step(engine.steps(), engine.stepRows(), engine.lastStepNanos() / 1e6),
                new State(state.sequences(), state.bytesUsed(), state.bytesTotal(), state.pagesUsed(), state.pagesShared()),
                views.prefixes().get(),
                Drafts.of(engine.speculation()),
                new Experts(experts.arena(), experts.slots(), experts.resident(), experts.hits(), experts.misses(), experts.evictions(),
                        experts.bytesRead(), experts.waitNanos() / 1_000_000),
                map);
    }
}
