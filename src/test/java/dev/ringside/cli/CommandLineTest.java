package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandLineTest {

    @TempDir
    Path directory;

    @Test
    void without_a_command_the_server_gets_all_arguments() {
        assertThat(RingsideCommand.serverArguments(new String[0])).isEmpty();
        assertThat(RingsideCommand.serverArguments(new String[] {"--server.port=8081", "x"})).containsExactly("--server.port=8081", "x");
    }

    @Test
    void serve_hands_the_remaining_arguments_to_the_server() {
        assertThat(RingsideCommand.serverArguments(new String[] {"serve", "--ringside.model.path=m.gguf"}))
                .containsExactly("--ringside.model.path=m.gguf");
    }

    @Test
    void other_commands_and_help_start_no_server() {
        assertThat(RingsideCommand.serverArguments(new String[] {"inspect", "m.gguf"})).isNull();
        assertThat(RingsideCommand.serverArguments(new String[] {"--help"})).isNull();
        assertThat(RingsideCommand.serverArguments(new String[] {"serve", "--help"})).isNull();
    }

    @Test
    void launch_starts_the_server_with_its_arguments() {
        String[][] started = new String[1][];
        RingsideCommand.launch(new String[] {"serve", "--a=b"}, arguments -> started[0] = arguments);
        assertThat(started[0]).containsExactly("--a=b");
    }

    @Test
    void help_lists_the_commands() {
        CommandRun run = CommandRun.of("--help");
        assertThat(run.code()).isZero();
        assertThat(run.out()).contains("serve", "inspect", "synthesize", "bench");
    }

    @Test
    void an_unknown_command_is_wrong_usage_with_a_proposal() {
        CommandRun run = CommandRun.of("inspcet");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("inspcet", "inspect");
    }

    @Test
    void a_missing_argument_is_wrong_usage() {
        assertThat(CommandRun.of("inspect").code()).isEqualTo(2);
        assertThat(CommandRun.of("synthesize", "x.gguf").err()).contains("--like");
    }

    @Test
    void a_bad_option_value_is_wrong_usage_and_says_what_is_expected() {
        CommandRun run = CommandRun.of("inspect", "x.gguf", "--memory", "lots");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("--memory", "24GB", "'lots'");
        assertThat(CommandRun.of("synthesize", "--like", "gpt-5", "x.gguf").err()).contains("qwen3-30b-a3b", "'gpt-5'");
        assertThat(CommandRun.of("synthesize", "--like", "qwen3-30b-a3b", "--routing", "zipf:9", "x.gguf").err()).contains("uniform");
        assertThat(CommandRun.of("bench", "--repeat", "0").err()).contains("--repeat", "found 0");
        assertThat(CommandRun.of("bench", "--arena", "0%").code()).isEqualTo(2);
    }

    @Test
    void a_missing_file_fails_with_one_line_and_no_stack_trace() {
        CommandRun run = CommandRun.of("inspect", directory.resolve("none.gguf"));
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err().lines()).singleElement().asString().contains("none.gguf", "check the path");
    }

    @Test
    void verbose_adds_the_stack_trace() {
        CommandRun run = CommandRun.of("inspect", "--verbose", directory.resolve("none.gguf"));
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("\tat dev.ringside");
    }

    @Test
    void a_file_of_another_format_is_named_with_what_was_found() throws IOException {
        Path file = Files.writeString(directory.resolve("text.gguf"), "This is not a model, it is a text of some length.");
        CommandRun run = CommandRun.of("inspect", file);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("text.gguf", "not a GGUF file");
    }

    @Test
    void synthesize_replaces_no_file_unless_forced() throws IOException {
        Path file = Files.writeString(directory.resolve("taken.gguf"), "mine");
        CommandRun run = CommandRun.of("synthesize", "--like", "qwen3-30b-a3b", file);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("taken.gguf", "--force");
        assertThat(file).hasContent("mine");
    }

    @Test
    void synthesize_refuses_what_does_not_fit_on_the_disk() {
        Path file = directory.resolve("huge.gguf");
        CommandRun run = CommandRun.of("synthesize", "--like", "qwen3.8-flash-next", "--layers", "1024", "--experts", "4096", "--quant",
                "f32", file);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("are free in", "--layers");
        assertThat(directory).isEmptyDirectory();
    }
}
