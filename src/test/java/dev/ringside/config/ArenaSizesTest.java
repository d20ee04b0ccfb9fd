package dev.ringside.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationException;
import dev.ringside.engine.GenerationListener;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.expert.ExpertSnapshot;
import dev.ringside.sampling.SamplingParameters;
import dev.ringside.tokenizer.SpecialTokens;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The built-in model gives the same text wherever its experts are and however few of them fit. */
class ArenaSizesTest {

    private static final int EXPERTS = 256;
    private static final String QUESTION = "<|im_start|>user\nWhat does courage mean?<|im_end|>\n<|im_start|>assistant\n";
    private static final String STORY = "Once upon a time there was a small fox named Pip. He lived in the forest. ".repeat(100) + QUESTION;

    private static String shortText;
    private static String longText;

    @BeforeAll
    static void allResident() {
        try (OpenedRuntime opened = OpenedRuntime.open("experts.arena", "pinned", "experts.arena-bytes", "100%")) {
            EngineRuntime runtime = opened.runtime();
            shortText = text(runtime, QUESTION);
            longText = text(runtime, STORY);
        }
        assertThat(shortText).startsWith("Courage (noun) means: a quality of spirit");
    }

    @AfterAll
    static void forget() {
        shortText = null;
        longText = null;
    }

    @ParameterizedTest
    @CsvSource({"device,100%,256", "device,25%,64", "pinned,25%,64", "device,491520,8", "pinned,491520,8"})
    void greedyTextIsThatOfAllExpertsResident(String arena, String size, int slots) {
        try (OpenedRuntime opened = OpenedRuntime.open("experts.arena", arena, "experts.arena-bytes", size)) {
            EngineRuntime runtime = opened.runtime();
            assertThat(text(runtime, QUESTION)).isEqualTo(shortText);
            assertThat(text(runtime, STORY)).isEqualTo(longText);

            ExpertSnapshot experts = runtime.loaded().expertSnapshot();
            assertThat(experts.arena()).isEqualTo(arena);
            assertThat(experts.slots()).isEqualTo(slots);
            assertThat(experts.resident()).isLessThanOrEqualTo(slots);
            if (slots < EXPERTS) {
                assertThat(experts.evictions()).isPositive();
            }
        }
    }

    @Test
    void anArenaBelowOneStepIsRefusedWithTheSizeNeeded() {
        assertThatThrownBy(() -> OpenedRuntime.open("experts.arena-bytes", "400KB")).isInstanceOf(StartupException.class)
                .hasMessageContaining("ringside.experts.arena-bytes").hasMessageContaining("491,520");
    }

    private static String text(EngineRuntime runtime, String prompt) {
        int[] tokens = runtime.tokenizer().encode(prompt, SpecialTokens.RECOGNISE);
        Collector collector = new Collector();
        runtime.engine().submit(new GenerationRequest("test", tokens, SamplingParameters.greedy(), 19, List.of(), false), collector);
        return collector.done.orTimeout(2, TimeUnit.MINUTES).join();
    }

    private static final class Collector implements GenerationListener {

        final CompletableFuture<String> done = new CompletableFuture<>();
        private final StringBuilder text = new StringBuilder();

        @Override
        public void onEvent(GenerationEvent event) {
            if (event instanceof GenerationEvent.TextDelta delta) {
                text.append(delta.text());
            } else if (event instanceof GenerationEvent.Completed) {
                done.complete(text.toString());
            }
        }

        @Override
        public void onFailure(GenerationException failure) {
            done.completeExceptionally(failure);
        }

        @Override
        public void onCancelled() {
            done.cancel(false);
        }
    }
}
