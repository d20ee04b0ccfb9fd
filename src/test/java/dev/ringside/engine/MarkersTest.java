package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.chat.AssistantFormat;
import dev.ringside.chat.AssistantParser;
import dev.ringside.chat.AssistantPart;
import dev.ringside.chat.ReasoningFormat;
import dev.ringside.chat.ToolCatalog;
import dev.ringside.chat.ToolFormat;
import dev.ringside.sampling.SamplingParameters;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Marks that are control tokens of the vocabulary reach the parser of an answer, and nobody else. */
class MarkersTest {

    private static final ToolCatalog TOOLS = ToolCatalog.of(List.of(Map.of("type", "function", "function", Map.of("name", "weather"))));
    private static final AssistantFormat MISTRAL = new AssistantFormat(ReasoningFormat.THINK_BRACKETS, ToolFormat.MISTRAL);
    private static final AssistantFormat HARMONY = new AssistantFormat(ReasoningFormat.HARMONY, ToolFormat.HARMONY);
    private static final AssistantFormat TAGS = new AssistantFormat(ReasoningFormat.THINK_TAGS, ToolFormat.JSON_TAGS);
    private static final Set<String> CONTROLS = Set.of("[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]", "[INST]", "<|start|>",
            "<|channel|>", "<|message|>", "<|constrain|>", "<|end|>", "<think>", "</think>", "<tool_call>", "</tool_call>");

    @Test
    void mistralCallsAndReasoningComeOutRight() {
        assertThat(turn(MISTRAL, TOOLS, "[THINK]", "hm", "[/THINK]", "[TOOL_CALLS]", "weather", "[ARGS]", "{\"city\": ", "\"Oslo\"}"))
                .isEqualTo("reasoning(hm) call(weather) {\"city\": \"Oslo\"}");
    }

    @Test
    void anIdOfTheModelsIsNoPartOfTheName() {
        assertThat(turn(MISTRAL, TOOLS, "[TOOL_CALLS]", "weather", "[CALL_ID]", "abc123DEF", "[ARGS]", "{}"))
                .isEqualTo("call(weather) {}");
    }

    @Test
    void harmonyChannelsComeOutRight() {
        assertThat(turn(HARMONY, TOOLS, "<|channel|>", "analysis", "<|message|>", "hm", "<|end|>", "<|start|>", "assistant", "<|channel|>",
                "commentary", " to=functions.weather", "<|constrain|>", "json", "<|message|>", "{}"))
                .isEqualTo("reasoning(hm) call(weather) {}");
        assertThat(turn(HARMONY, ToolCatalog.EMPTY, "<|channel|>", "final", "<|message|>", "Hello")).isEqualTo("Hello");
    }

    @Test
    void tagsThatAreControlTokensComeOutRight() {
        assertThat(turn(TAGS, TOOLS, "<think>", "hm", "</think>", "<tool_call>", "{\"name\": \"weather\", ", "\"arguments\": {}}",
                "</tool_call>")).isEqualTo("reasoning(hm) call(weather) {}");
    }

    @Test
    void otherControlTokensStayHidden() {
        assertThat(turn(MISTRAL, TOOLS, "a", "[INST]", "b", "<|channel|>", "c")).isEqualTo("abc");
    }

    @Test
    void marksOfCallsStayHiddenWhereNothingCanBeCalled() {
        assertThat(turn(MISTRAL, ToolCatalog.EMPTY, "[TOOL_CALLS]", "a", "[ARGS]", "b")).isEqualTo("ab");
    }

    @Test
    void noControlTokenIsShownToARequestWithoutMarkers() {
        assertThat(generate(Set.of(), "a", "[THINK]", "b", "[TOOL_CALLS]", "c").text()).isEqualTo("abc");
    }

    private static String turn(AssistantFormat format, ToolCatalog tools, String... words) {
        AssistantParser parser = format.parser(false, tools, () -> "id");
        StringBuilder out = new StringBuilder();
        for (GenerationEvent.TextDelta delta : generate(format.markers(tools), words).deltas()) {
            parser.append(delta.text(), part -> write(part, out));
        }
        parser.end(part -> write(part, out));
        return out.toString().replace(")reasoning(", "").strip();
    }

    private static void write(AssistantPart part, StringBuilder out) {
        out.append(switch (part) {
            case AssistantPart.Content(String text) -> text;
            case AssistantPart.Reasoning(String text) -> "reasoning(" + text + ")";
            case AssistantPart.ToolCallOpened(int _, String _, String name) -> " call(" + name + ") ";
            case AssistantPart.ToolCallArguments(int _, String fragment) -> fragment;
        });
    }

    /** A model that says the words and the end token. */
    private static Recorder generate(Set<String> markers, String... words) {
        List<String> vocabulary = List.copyOf(new LinkedHashSet<>(Arrays.asList(words)));
        TestTokenizer tokenizer = TestTokenizer.ofWords(CONTROLS, vocabulary.toArray(String[]::new));
        FakeModel model = new FakeModel(tokenizer.vocabularySize(), 64,
                (_, position, _) -> position < words.length ? vocabulary.indexOf(words[position]) : tokenizer.eosToken());
        try (EngineHarness harness = new EngineHarness(model, tokenizer, new EngineOptions(1, 8, 64))) {
            Recorder recorder = harness.run(new GenerationRequest("r", new int[] {0}, SamplingParameters.greedy(), 50, List.of(), false,
                    new int[0], GenerationRequest.NO_LOGPROBS, null, Priority.INTERACTIVE, null, markers));
            assertThat(recorder.completed().reason()).isEqualTo(FinishReason.STOP);
            assertThat(recorder.completed().usage().completionTokens()).isEqualTo(words.length);
            return recorder;
        }
    }
}
