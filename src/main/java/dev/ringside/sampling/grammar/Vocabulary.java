package dev.ringside.sampling.grammar;

/** What constraints have to know of a tokenizer. Implementations are immutable. */
public interface Vocabulary {

    /** Number of tokens; ids are 0 to this number, exclusive. */
    int size();

    /** The bytes of a token: UTF-8, though not always whole characters. */
    byte[] bytes(int token);

    /** Whether the model says with this token that it is done. */
    boolean endsGeneration(int token);

    /** Whether the token steers the model. Such a token fits no text; only a {@link Grammar#marker marker} and free text let it pass. */
    boolean control(int token);
}
