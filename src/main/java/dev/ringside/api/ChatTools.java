package dev.ringside.api;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a request says of tools.
 *
 * @param parallel whether several may be called in one turn
 */
record ChatTools(List<ChatTool> tools, ChatToolChoice choice, boolean parallel) {

    static final ChatTools NONE = new ChatTools(List.of(), ChatToolChoice.Mode.NONE, true);

    ChatTools {
        tools = List.copyOf(tools);
    }

    /** The tools that may be called; empty where the choice is none. */
    List<ChatTool> callable() {
        return switch (choice) {
            case ChatToolChoice.Mode mode -> mode == ChatToolChoice.Mode.NONE ? List.of() : tools;
            case ChatToolChoice.Named(String name) -> tools.stream().filter(tool -> tool.name().equals(name)).toList();
        };
    }

    /** The tools the model is told of, as chat templates take them. */
    List<Map<String, @Nullable Object>> variables() {
        return choice == ChatToolChoice.Mode.NONE ? List.of() : tools.stream().map(ChatTool::variables).toList();
    }
}
