package dev.ringside.chat.jinja;

/** What is left of the {@link Limits} in one rendering. */
final class Budget {

    // Weights by size in memory, so that the steps bound what a rendering can hold: about 20 bytes a step.
    private static final int UNITS_PER_STEP = 8;
    private static final int STEPS_PER_ENTRY = 4;
    private static final int STEPS_PER_PIECE = 16;

    private final Limits limits;
    private long steps;
    private int depth;

    Budget(Limits limits) {
        this.limits = limits;
    }

    void step() {
        spend(1);
    }

    /** Copying so many characters or entries. */
    void copy(long units) {
        spend(1 + units / UNITS_PER_STEP);
    }

    /** Entries of a new list. */
    void entries(long count) {
        spend(STEPS_PER_ENTRY * count);
    }

    /** Small texts or lists, each an object of its own. */
    void pieces(long count) {
        spend(STEPS_PER_PIECE * count);
    }

    /** Making a text so long. */
    void text(long length) {
        grow(0, length);
    }

    /** Adding characters to a text. */
    void grow(long length, long added) {
        if (length + added > limits.textLength()) {
            throw new JinjaException("text longer than " + limits.textLength() + " characters");
        }
        copy(added);
    }

    void enter() {
        step();
        if (++depth > limits.nesting()) {
            throw new JinjaException("nested deeper than " + limits.nesting() + " levels");
        }
    }

    void leave() {
        depth--;
    }

    private void spend(long count) {
        steps += count;
        if (steps > limits.steps()) {
            throw new JinjaException("stopped after " + limits.steps() + " steps");
        }
    }
}
