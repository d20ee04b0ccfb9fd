package dev.ringside.chat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Properties of every parser on turns put together at random from what such turns are made of. */
class AssistantParserRandomTest {

    private static final long SEED = Long.getLong("ringside.test.seed", System.nanoTime());

    private static final List<String> WORDS = List.of("<think>", "</think>", "\n", " ", "Hello", "<tool_call>", "</tool_call>", "<", "{",
            "}",
            "{\"name\": \"weather\", ", "\"arguments\": {\"city\": \"Oslo\"}}", "\"parameters\": ", "<function=weather>",
            "<parameter=city>",
            "</parameter>", "</function>", "weather", "<arg_key>city</arg_key>", "<arg_value>", "</arg_value>", "[TOOL_CALLS]", "[ARGS]",
            "[",
            "]", ";", ",", "<|python_tag|>", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>",
            "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>", "<|channel|>", "analysis", "final", " to=functions.weather", "<|message|>",
            "<|end|>",
            "<|start|>assistant", "<|call|>", "\"", "\\", "\\u00e5", "12", "👩‍👩‍👧‍👦", "null", ":");

    private static final ToolCatalog TOOLS = TurnText
            .tools(Map.of("weather", Map.of("city", Map.of("type", "string"), "days", Map.of("type", "integer"))));

    @Test
    void theWayATurnIsCutDoesNotMatter() {
        Random random = new Random(SEED);
        for (int round = 0; round < 3000; round++) {
            AssistantFormat format = format(random);
            boolean thinking = random.nextBoolean();
            String turn = turn(random);

            assertThat(TurnText.parts(format, thinking, TOOLS, cut(turn, random)))
                    .as("seed %d, round %d, %s: %s", SEED, round, format, turn)
                    .isEqualTo(TurnText.parts(format, thinking, TOOLS, List.of(turn)));
        }
    }

    @Test
    void callsAreNumberedFromZeroAndArgumentsBelongToTheLatest() {
        Random random = new Random(SEED);
        for (int round = 0; round < 3000; round++) {
            AssistantFormat format = format(random);
            String turn = turn(random);
            int calls = 0;
            for (AssistantPart part : TurnText.parts(format, false, TOOLS, List.of(turn))) {
                if (part instanceof AssistantPart.ToolCallOpened opened) {
                    assertThat(opened.index()).as("seed %d, round %d, %s: %s", SEED, round, format, turn).isEqualTo(calls++);
                } else if (part instanceof AssistantPart.ToolCallArguments arguments) {
                    assertThat(arguments.index()).as("seed %d, round %d, %s: %s", SEED, round, format, turn).isEqualTo(calls - 1);
                }
            }
        }
    }

    @Test
    void aTurnWithoutCallsAndReasoningLosesNothing() {
        Random random = new Random(SEED);
        for (int round = 0; round < 3000; round++) {
            AssistantFormat format = new AssistantFormat(ReasoningFormat.NONE, tools(random));
            String turn = turn(random);
            List<AssistantPart> parts = TurnText.parts(format, false, TOOLS, List.of(turn));
            if (parts.stream().allMatch(AssistantPart.Content.class::isInstance)) {
                assertThat(parts).as("seed %d, round %d, %s: %s", SEED, round, format, turn)
                        .isEqualTo(turn.isEmpty() ? List.of() : List.of(new AssistantPart.Content(turn)));
            }
        }
    }

    private static AssistantFormat format(Random random) {
        if (random.nextInt(8) == 0) {
            return new AssistantFormat(ReasoningFormat.HARMONY, ToolFormat.HARMONY);
        }
        return new AssistantFormat(random.nextBoolean() ? ReasoningFormat.THINK_TAGS : ReasoningFormat.NONE, tools(random));
    }

    private static ToolFormat tools(Random random) {
        ToolFormat[] formats = ToolFormat.values();
        return formats[random.nextInt(formats.length - 1)];
    }

    private static String turn(Random random) {
        StringBuilder turn = new StringBuilder();
        for (int i = random.nextInt(24); i > 0; i--) {
            turn.append(WORDS.get(random.nextInt(WORDS.size())));
        }
        return turn.toString();
    }

    private static List<String> cut(String turn, Random random) {
        List<String> pieces = new ArrayList<>();
        int from = 0;
        while (from < turn.length()) {
            int to = Math.min(turn.length(), from + 1 + random.nextInt(random.nextBoolean() ? 1 : 7));
            pieces.add(turn.substring(from, to));
            from = to;
        }
        return pieces;
    }
}
