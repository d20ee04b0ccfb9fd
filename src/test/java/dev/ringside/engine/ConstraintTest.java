package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.sampling.SamplingParameters;
import dev.ringside.sampling.TokenConstraint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConstraintTest {

    private static GenerationRequest constrained(TokenConstraint constraint, boolean ignoreEnd, int maxTokens) {
        return new GenerationRequest("constrained", EngineHarness.prompt(1, 9), SamplingParameters.greedy(), maxTokens, List.of(),
                ignoreEnd,
                new int[0], GenerationRequest.NO_LOGPROBS, () -> constraint, Priority.INTERACTIVE, null);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theTextIsWhatTheConstraintAllowsAndEndsWithIt(boolean ignoreEnd) {
        try (EngineHarness harness = EngineHarness.hashing(2, 16, 64)) {
            Recorder recorder = harness.run(constrained(new ScriptedConstraint(EngineHarness.VOCABULARY, 5, 80, 64, 63), ignoreEnd, 40));

            assertThat(recorder.completed().reason()).isEqualTo(FinishReason.STOP);
            assertThat(recorder.text()).isEqualTo("w5 w80 w64 w63 ");
            assertThat(recorder.completed().usage().completionTokens()).isEqualTo(4);
        }
    }

    @Test
    void maxTokensCutsItsText() {
        try (EngineHarness harness = EngineHarness.hashing(2, 16, 64)) {
            Recorder recorder = harness.run(constrained(new ScriptedConstraint(EngineHarness.VOCABULARY, 5, 80, 64, 63), false, 3));

            assertThat(recorder.completed().reason()).isEqualTo(FinishReason.LENGTH);
            assertThat(recorder.text()).isEqualTo("w5 w80 w64 ");
        }
    }

    @Test
    void aConstraintThatFailsFailsItsOwnRequestOnly() {
        GenerationRequest other = EngineHarness.request("other", 30, EngineHarness.prompt(2, 5));
        try (EngineHarness harness = EngineHarness.hashing(2, 16, 64)) {
            String alone = harness.run(other).awaitEnd().text();
            ScriptedConstraint failing = new ScriptedConstraint(EngineHarness.VOCABULARY, 5, 80, 64, 63);
            failing.failAt(2);
            Recorder beside = harness.run(other);
            Recorder failed = harness.run(constrained(failing, false, 40));

            assertThat(failed.failure()).hasMessageContaining("a fault of the constraint");
            assertThat(beside.completed().reason()).isEqualTo(FinishReason.LENGTH);
            assertThat(beside.text()).isEqualTo(alone);
            assertThat(harness.engine.snapshot().alive()).isTrue();
        }
    }
}
