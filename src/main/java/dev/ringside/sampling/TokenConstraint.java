package dev.ringside.sampling;

/**
 * Restricts which token may come next, such as to those that keep a JSON document valid. It follows one generation and belongs to the thread
 * that samples for it. Its state is a count of accepted tokens away from every earlier one, so that rejected drafts leave nothing behind.
 */
public interface TokenConstraint {

    /** Whether anything is restricted at this point; when not, {@link #allowed} need not be asked. */
    boolean restricts();

    /**
     * The tokens that may come next, bit {@code t & 63} of word {@code t >> 6} for token {@code t}. Tokens that end the generation are among
     * them exactly where the text may end. At least one bit is set. The array belongs to the constraint and holds until its next call.
     */
    long[] allowed();

    /** Whether one token may come next. */
    boolean allows(int token);

    /**
     * Goes on by a token.
     *
     * @throws IllegalArgumentException when it is not allowed; the state is as before
     */
    void accept(int token);

    /** Tokens accepted so far. */
    int accepted();

    /**
     * Goes back to where {@code accepted} tokens had been accepted.
     *
     * @param accepted at most {@link #accepted}
     */
    void rewind(int accepted);
}
