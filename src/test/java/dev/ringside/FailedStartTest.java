package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A start that fails ends with a description and an action, not with a stack trace. */
@ExtendWith(OutputCaptureExtension.class)
class FailedStartTest {

    @Test
    void aMissingModelIsDescribedWithARemedy(CapturedOutput output) {
        start("--ringside.model.path=/nowhere/model.gguf");

        assertThat(output)
                .contains("APPLICATION FAILED TO START", "Description:", "/nowhere/model.gguf does not exist", "Action:",
                        "RINGSIDE_MODEL_PATH")
                .doesNotContain("\tat dev.ringside");
    }

    @Test
    void aValueOutOfRangeIsDescribedWithWhatIsAllowed(CapturedOutput output) {
        start("--ringside.api.sse-comment-interval=5ms");

        assertThat(output).contains("Property: ringside.api.sse-comment-interval", "Value: \"5ms\"", "100ms to 1h")
                .doesNotContain("\tat dev.ringside");
    }

    @Test
    void aMisspeltSettingIsNamed(CapturedOutput output) {
        start("--ringside.experts.arena-size=8GB");

        assertThat(output).contains("ringside.experts.arena-size").doesNotContain("\tat dev.ringside");
    }

    private static void start(String argument) {
        assertThatThrownBy(() -> SpringApplication.run(RingsideApplication.class, "--server.port=0", argument).close())
                .isInstanceOf(Exception.class);
    }
}
