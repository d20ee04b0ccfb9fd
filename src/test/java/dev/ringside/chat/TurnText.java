package dev.ringside.chat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Feeds a parser and writes down what comes out, with neighbours of one kind joined. */
final class TurnText {

    private TurnText() {}

    /** Parts of a turn that comes in these pieces; ids are {@code call_0}, {@code call_1} and so on. */
    static List<AssistantPart> parts(AssistantFormat format, boolean thinking, ToolCatalog tools, List<String> pieces) {
        AtomicInteger ids = new AtomicInteger();
        AssistantParser parser = format.parser(thinking, tools, () -> "call_" + ids.getAndIncrement());
        List<AssistantPart> parts = new ArrayList<>();
        pieces.forEach(piece -> parser.append(piece, parts::add));
        parser.end(parts::add);
        return joined(parts);
    }

    static List<AssistantPart> joined(List<AssistantPart> parts) {
        List<AssistantPart> joined = new ArrayList<>();
        for (AssistantPart part : parts) {
            AssistantPart last = joined.isEmpty() ? null : joined.getLast();
            AssistantPart both = last == null ? null : join(last, part);
            if (both == null) {
                joined.add(part);
            } else {
                joined.set(joined.size() - 1, both);
            }
        }
        return joined;
    }

    private static AssistantPart join(AssistantPart a, AssistantPart b) {
        if (a instanceof AssistantPart.Content(String first) && b instanceof AssistantPart.Content(String second)) {
            return new AssistantPart.Content(first + second);
        }
        if (a instanceof AssistantPart.Reasoning(String first) && b instanceof AssistantPart.Reasoning(String second)) {
            return new AssistantPart.Reasoning(first + second);
        }
        if (a instanceof AssistantPart.ToolCallArguments(int index, String first)
                && b instanceof AssistantPart.ToolCallArguments(int other, String second) && index == other) {
            return new AssistantPart.ToolCallArguments(index, first + second);
        }
        return null;
    }

    /** Tools whose parameters have the given schemas. */
    static ToolCatalog tools(Map<String, Map<String, ?>> parameters) {
        List<Map<String, ?>> tools = new ArrayList<>();
        parameters.forEach((name, properties) -> tools.add(Map.of("type", "function", "function",
                Map.of("name", name, "parameters", Map.of("type", "object", "properties", properties)))));
        return ToolCatalog.of(tools);
    }
}
