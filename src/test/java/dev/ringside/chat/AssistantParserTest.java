package dev.ringside.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.chat.AssistantPart.Content;
import dev.ringside.chat.AssistantPart.Reasoning;
import dev.ringside.chat.AssistantPart.ToolCallArguments;
import dev.ringside.chat.AssistantPart.ToolCallOpened;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AssistantParserTest {

    private static final ToolCatalog WEATHER = TurnText.tools(Map.of("weather", Map.of(
            "city", Map.of("type", "string"),
            "days", Map.of("type", "integer"),
            "exact", Map.of("type", "boolean"),
            "tags", Map.of("type", "array"),
            "note", Map.of("type", List.of("string", "null")),
            "any", Map.of())));

    private static List<AssistantPart> parse(ToolFormat format, String text) {
        return TurnText.parts(new AssistantFormat(ReasoningFormat.THINK_TAGS, format), false, WEATHER, List.of(text));
    }

    private static AssistantPart opened(int index) {
        return new ToolCallOpened(index, "call_" + index, "weather");
    }

    @Test
    void textIsContent() {
        assertThat(parse(ToolFormat.JSON_TAGS, "Hello <world> 1 < 2\n")).containsExactly(new Content("Hello <world> 1 < 2\n"));
    }

    @Test
    void reasoningIsSeparatedFromTheAnswer() {
        assertThat(parse(ToolFormat.JSON_TAGS, "<think>\nhm\n\nwell\n</think>\n\nHello"))
                .containsExactly(new Reasoning("hm\n\nwell"), new Content("Hello"));
    }

    @Test
    void aPromptThatOpensTheReasoningNeedsNoMark() {
        assertThat(TurnText.parts(new AssistantFormat(ReasoningFormat.THINK_TAGS, ToolFormat.JSON_TAGS), true, WEATHER,
                List.of("hm\n</think>\n\nHello"))).containsExactly(new Reasoning("hm"), new Content("Hello"));
    }

    @Test
    void anEmptyReasoningIsNone() {
        assertThat(parse(ToolFormat.JSON_TAGS, "<think>\n\n</think>\n\nHello")).containsExactly(new Content("Hello"));
    }

    @Test
    void reasoningThatIsCutOffStaysReasoning() {
        assertThat(parse(ToolFormat.JSON_TAGS, "<think>hm </thi")).containsExactly(new Reasoning("hm </thi"));
    }

    @Test
    void aMarkInTheMiddleOfTheAnswerIsText() {
        assertThat(parse(ToolFormat.JSON_TAGS, "Use <think> and </think>.")).containsExactly(new Content("Use <think> and </think>."));
    }

    @Test
    void aCallInTheReasoningIsReasoning() {
        assertThat(parse(ToolFormat.JSON_TAGS, "<think><tool_call>{}</tool_call></think>Hi"))
                .containsExactly(new Reasoning("<tool_call>{}</tool_call>"), new Content("Hi"));
    }

    @Test
    void jsonBetweenTagsIsACall() {
        assertThat(parse(ToolFormat.JSON_TAGS,
                "Let me see.\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>"))
                .containsExactly(new Content("Let me see."), opened(0), new ToolCallArguments(0, "{\"city\": \"Oslo\"}"));
    }

    @Test
    void parallelCallsHaveRisingIndexes() {
        String call = "<tool_call>\n{\"name\": \"weather\", \"arguments\": {}}\n</tool_call>\n";

        assertThat(parse(ToolFormat.JSON_TAGS, call + call + call)).containsExactly(opened(0), new ToolCallArguments(0, "{}"), opened(1),
                new ToolCallArguments(1, "{}"), opened(2), new ToolCallArguments(2, "{}"));
    }

    @Test
    void argumentsInFrontOfTheNameAreHeldUntilItIsKnown() {
        assertThat(
                parse(ToolFormat.JSON_TAGS, "<tool_call>{\"id\": 7, \"arguments\": {\"a\": [1, {}]}, \"name\": \"weather\"}</tool_call>"))
                .containsExactly(opened(0), new ToolCallArguments(0, "{\"a\": [1, {}]}"));
    }

    @Test
    void argumentsInAStringAreDecoded() {
        assertThat(parse(ToolFormat.JSON_TAGS,
                "<tool_call>{\"name\": \"weather\", \"arguments\": \"{\\\"city\\\": \\\"\\u00c5s\\\"}\"}</tool_call>"))
                .containsExactly(opened(0), new ToolCallArguments(0, "{\"city\": \"Ås\"}"));
    }

    @Test
    void halfACharacterThatAModelEscapesIsReplaced() {
        assertThat(parse(ToolFormat.JSON_TAGS,
                "<tool_call>{\"name\": \"a\\ud83dz\", \"arguments\": \"\\ud83d\\ude00\\ude00\\ud83d\"}</tool_call>"))
                .containsExactly(new ToolCallOpened(0, "call_0", "a\uFFFDz"), new ToolCallArguments(0, "\uD83D\uDE00\uFFFD\uFFFD"));
    }

    @Test
    void aCallWithoutArgumentsHasNone() {
        assertThat(parse(ToolFormat.JSON_TAGS, "<tool_call>{\"name\": \"weather\"}</tool_call>"))
                .containsExactly(opened(0), new ToolCallArguments(0, "{}"));
    }

    @Test
    void whatIsNoCallComesBackAsText() {
        String text = "<tool_call>\n{\"name\": 7, \"arguments\": {}}\n</tool_call> done";

        assertThat(parse(ToolFormat.JSON_TAGS, text)).containsExactly(new Content(text));
    }

    @Test
    void aCallBehindABrokenOneIsFound() {
        assertThat(parse(ToolFormat.JSON_TAGS, "<tool_call>\n<tool_call>{\"name\": \"weather\"}</tool_call>"))
                .containsExactly(new Content("<tool_call>"), opened(0), new ToolCallArguments(0, "{}"));
    }

    @Test
    void brokenArgumentsAreHandedOnAsTheModelWroteThem() {
        assertThat(parse(ToolFormat.JSON_TAGS, "<tool_call>{\"name\": \"weather\", \"arguments\": {\"a\": oops}}\n</tool_call>Bye"))
                .containsExactly(opened(0), new ToolCallArguments(0, "{\"a\": oops}}\n"), new Content("Bye"));
    }

    @Test
    void aCallThatIsCutOffGoesAsFarAsItCame() {
        assertThat(parse(ToolFormat.JSON_TAGS, "<tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": \"Os"))
                .containsExactly(opened(0), new ToolCallArguments(0, "{\"city\": \"Os"));
        assertThat(parse(ToolFormat.JSON_TAGS, "So <tool_call>{\"name\": \"wea"))
                .containsExactly(new Content("So <tool_call>{\"name\": \"wea"));
    }

    @Test
    void xmlParametersBecomeJsonOfTheirSchemasTypes() {
        assertThat(parse(ToolFormat.XML_TAGS, """
            <tool_call>
            <function=weather>
            <parameter=city>
            New "York"
            12 < 13
            </parameter>
            <parameter=days>
            3
            </parameter>
            <parameter=exact>
            True
            </parameter>
            <parameter=tags>
            ["a", 1]
            </parameter>
            <parameter=note>
            null
            </parameter>
            <parameter=any>
            12 o'clock
            </parameter>
            <parameter=unheard>
            5
            </parameter>
            </function>
            </tool_call>""")).containsExactly(opened(0), new ToolCallArguments(0, "{\"city\": \"New \\\"York\\\"\\n12 < 13\", \"days\": 3, "
                + "\"exact\": true, \"tags\": [\"a\", 1], \"note\": null, \"any\": \"12 o'clock\", \"unheard\": \"5\"}"));
    }

    @Test
    void aValueThatIsNotOfItsTypeIsAString() {
        assertThat(parse(ToolFormat.XML_TAGS, "<tool_call><function=weather><parameter=days>soon</parameter></function></tool_call>"))
                .containsExactly(opened(0), new ToolCallArguments(0, "{\"days\": \"soon\"}"));
    }

    @Test
    void xmlCallsNeedNoOuterTagAndNoParameters() {
        assertThat(parse(ToolFormat.XML_TAGS, "Well.\n\n<function=weather>\n</function>\n<function=weather></function>"))
                .containsExactly(new Content("Well."), opened(0), new ToolCallArguments(0, "{}"), opened(1),
                        new ToolCallArguments(1, "{}"));
    }

    @Test
    void keysAndValuesBetweenTagsAreACall() {
        assertThat(parse(ToolFormat.KEY_VALUE_TAGS, """
            <tool_call>weather
            <arg_key>city</arg_key>
            <arg_value>Oslo</arg_value>
            <arg_key>days</arg_key>
            <arg_value>3</arg_value>
            </tool_call>""")).containsExactly(opened(0), new ToolCallArguments(0, "{\"city\": \"Oslo\", \"days\": 3}"));
    }

    @Test
    void aNameWithoutKeysIsACallOnlyWhenItIsClosed() {
        assertThat(parse(ToolFormat.KEY_VALUE_TAGS, "<tool_call>weather</tool_call>"))
                .containsExactly(opened(0), new ToolCallArguments(0, "{}"));
        assertThat(parse(ToolFormat.KEY_VALUE_TAGS, "<tool_call>is a tag")).containsExactly(new Content("<tool_call>is a tag"));
    }

    @Test
    void deepSeekCallsAreRead() {
        assertThat(parse(ToolFormat.DEEPSEEK, "Hm.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>{\"days\": 1}<｜tool▁call▁end｜>"
                + "<｜tool▁call▁begin｜>weather<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"))
                .containsExactly(new Content("Hm."), opened(0), new ToolCallArguments(0, "{\"days\": 1}"), opened(1),
                        new ToolCallArguments(1, "{}"));
    }

    @Test
    void aBareObjectIsACallWhenItNamesATool() {
        assertThat(parse(ToolFormat.BARE_JSON, "{\"name\": \"weather\", \"parameters\": {\"city\": \"Oslo\"}}; {\"name\": \"weather\"}"))
                .containsExactly(opened(0), new ToolCallArguments(0, "{\"city\": \"Oslo\"}"), opened(1), new ToolCallArguments(1, "{}"));
        assertThat(parse(ToolFormat.BARE_JSON, "<|python_tag|>{\"name\": \"weather\", \"parameters\": {}}"))
                .containsExactly(opened(0), new ToolCallArguments(0, "{}"));
        assertThat(parse(ToolFormat.BARE_JSON, "{\"name\": \"Bob\", \"parameters\": {}}"))
                .containsExactly(new Content("{\"name\": \"Bob\", \"parameters\": {}}"));
    }

    @Test
    void anObjectInsideAnAnswerIsNoCall() {
        assertThat(parse(ToolFormat.BARE_JSON, "Try {\"name\": \"weather\", \"parameters\": {}}"))
                .containsExactly(new Content("Try {\"name\": \"weather\", \"parameters\": {}}"));
    }

    @Test
    void mistralsListsAndNamesAreCalls() {
        assertThat(parse(ToolFormat.MISTRAL,
                "[TOOL_CALLS][{\"name\": \"weather\", \"arguments\": {\"days\": 1}}, {\"name\": \"weather\", \"arguments\": {}}]"))
                .containsExactly(opened(0), new ToolCallArguments(0, "{\"days\": 1}"), opened(1), new ToolCallArguments(1, "{}"));
        assertThat(parse(ToolFormat.MISTRAL, "[TOOL_CALLS]weather[ARGS]{\"days\": 1}[TOOL_CALLS]weather{}"))
                .containsExactly(opened(0), new ToolCallArguments(0, "{\"days\": 1}"), opened(1), new ToolCallArguments(1, "{}"));
        assertThat(parse(ToolFormat.MISTRAL, "[{\"name\": \"weather\", \"arguments\": {}}]"))
                .containsExactly(opened(0), new ToolCallArguments(0, "{}"));
        assertThat(parse(ToolFormat.MISTRAL, "[1, 2]")).containsExactly(new Content("[1, 2]"));
    }

    @Test
    void inArgumentsOfHarmonyMarksAreText() {
        AssistantFormat harmony = new AssistantFormat(ReasoningFormat.HARMONY, ToolFormat.HARMONY);
        String arguments = "{\"city\": \"<|end|><|start|>\"}";

        assertThat(TurnText.parts(harmony, false, WEATHER, List.of("<|channel|>commentary to=functions.weather <|constrain|>json<|message|>"
                + arguments + "<|call|>"))).endsWith(new ToolCallArguments(0, arguments));
    }

    @Test
    void harmonyChannelsAreReasoningAnswerAndCalls() {
        AssistantFormat harmony = new AssistantFormat(ReasoningFormat.HARMONY, ToolFormat.HARMONY);

        assertThat(TurnText.parts(harmony, false, WEATHER, List.of("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>"
                + "commentary to=functions.weather <|constrain|>json<|message|>{\"days\": 1}<|call|>")))
                .containsExactly(new Reasoning("hm"), opened(0), new ToolCallArguments(0, "{\"days\": 1}"));
        assertThat(TurnText.parts(harmony, false, WEATHER, List.of("<|channel|>final<|message|>Hello<|return|>")))
                .containsExactly(new Content("Hello"));
        assertThat(TurnText.parts(harmony, false, WEATHER, List.of("Hello"))).containsExactly(new Content("Hello"));
    }

    @Test
    void withoutToolsTheSpellingOfACallIsText() {
        String text = "<tool_call>{\"name\": \"weather\", \"arguments\": {}}</tool_call>\n";

        assertThat(TurnText.parts(new AssistantFormat(ReasoningFormat.NONE, ToolFormat.JSON_TAGS), false, ToolCatalog.EMPTY, List.of(text)))
                .containsExactly(new Content(text));
    }

    @Test
    void longRunsOfOneCharacterTakeLinearTime() {
        String blank = "\n".repeat(300_000);
        String less = "<".repeat(300_000);
        String brackets = "[".repeat(300_000);

        assertThat(parse(ToolFormat.JSON_TAGS, "a" + blank + less)).containsExactly(new Content("a" + blank + less));
        assertThat(parse(ToolFormat.JSON_TAGS, "<tool_call>{\"arguments\": " + brackets))
                .containsExactly(new Content("<tool_call>{\"arguments\": " + brackets));
    }
}
