package dev.ringside.api;

/**
 * A finished tool call.
 *
 * @param arguments JSON text as the model wrote it
 */
record AnswerCall(String id, String name, String arguments) {}
