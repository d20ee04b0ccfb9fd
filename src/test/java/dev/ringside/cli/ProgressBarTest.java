package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressBarTest {

    private final StringWriter text = new StringWriter();

    @Test
    void off_a_terminal_each_tenth_is_a_line_of_its_own() {
        try (ProgressBar bar = ProgressBar.ofSteps(new PrintWriter(text), false, "Measuring", 20)) {
            for (int i = 0; i < 20; i++) {
                bar.advance(1);
            }
        }
        assertThat(text.toString().lines()).hasSize(10).first().asString().isEqualTo("Measuring: 10 %, 2 of 20");
        assertThat(text.toString()).doesNotContain("\r");
    }

    @Test
    void on_a_terminal_one_line_is_drawn_over_and_ended() {
        try (ProgressBar bar = ProgressBar.ofBytes(new PrintWriter(text), true, "Writing", 1000)) {
            bar.advance(1000);
        }
        assertThat(text.toString()).startsWith("\rWriting [").contains("100 %").endsWith(System.lineSeparator());
        assertThat(text.toString().lines().filter(line -> line.contains("["))).isNotEmpty();
    }
}
