package dev.ringside.engine;

/** What a generation reports while it runs, in order. */
public sealed interface GenerationEvent {

    /** Prompt tokens computed so far. Sent after each step that ends inside the prompt. */
    record PromptProgress(int processed, int total) implements GenerationEvent {}

    /** Text that can be shown: whole characters, never part of a stop string. {@code tokens} ids it stands for may be 0 or more. */
    record TextDelta(String text, int tokens) implements GenerationEvent {}

    /** The end; nothing follows. */
    record Completed(FinishReason reason, Usage usage, Timings timings) implements GenerationEvent {}
}
