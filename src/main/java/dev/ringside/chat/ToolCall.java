package dev.ringside.chat;

/**
 * A function call that the model asked for in an earlier turn.
 *
 * @param id the id that the tool's answer refers to
 * @param name name of the function
 * @param arguments the arguments as a JSON value: usually a map, or the raw string when it is not valid JSON
 */
public record ToolCall(String id, String name, Object arguments) {}
