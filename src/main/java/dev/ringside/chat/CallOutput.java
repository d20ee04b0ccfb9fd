package dev.ringside.chat;

/** Where a {@link CallReader} writes. */
interface CallOutput {

    /** It is a call, and this is the function's name. */
    void opened(String name);

    /** More of the arguments' JSON text. */
    void arguments(CharSequence more);
}
