package dev.ringside.chat;

/** A piece of an assistant's turn, as it is generated. Pieces of one kind that follow each other are to be joined. */
public sealed interface AssistantPart {

    /** Text of the answer. */
    record Content(String text) implements AssistantPart {}

    /** What the model thinks before it answers. */
    record Reasoning(String text) implements AssistantPart {}

    /**
     * A tool call begins.
     *
     * @param index 0 for the first call of the turn, 1 for the second
     * @param id the id that the tool's answer will refer to
     * @param name name of the function
     */
    record ToolCallOpened(int index, String id, String name) implements AssistantPart {}

    /** More of the JSON text of a call's arguments. */
    record ToolCallArguments(int index, String fragment) implements AssistantPart {}
}
