package dev.ringside.chat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Replays the stored inputs in a normal run; fuzzes with {@code JAZZER_FUZZ=1}. */
class AssistantParserFuzzTest {

    private static final ToolCatalog TOOLS = TurnText.tools(Map.of("weather", Map.of("city", Map.of("type", "string"), "days", Map.of())));

    @FuzzTest(maxDuration = "60s")
    void anyCutOfAnyTurnGivesTheSameParts(FuzzedDataProvider data) {
        ToolFormat tools = data.pickValue(ToolFormat.values());
        ReasoningFormat reasoning = tools == ToolFormat.HARMONY
                ? ReasoningFormat.HARMONY
                : data.pickValue(new ReasoningFormat[] {ReasoningFormat.NONE, ReasoningFormat.THINK_TAGS, ReasoningFormat.THINK_BRACKETS});
        AssistantFormat format = new AssistantFormat(reasoning, tools);
        boolean thinking = data.consumeBoolean();
        int size = data.consumeInt(1, 16);
        String turn = data.consumeRemainingAsString();
        List<String> pieces = new ArrayList<>();
        for (int from = 0; from < turn.length(); from += size) {
            pieces.add(turn.substring(from, Math.min(turn.length(), from + size)));
        }
        if (!TurnText.parts(format, thinking, TOOLS, pieces).equals(TurnText.parts(format, thinking, TOOLS, List.of(turn)))) {
            throw new AssertionError(format + ": " + turn);
        }
    }
}
