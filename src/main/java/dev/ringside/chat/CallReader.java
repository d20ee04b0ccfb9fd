package dev.ringside.chat;

/** Reads the text of one tool call character by character, behind the mark that opened it. */
interface CallReader {

    enum Progress {
        /** The character belongs to the call. */
        GOING_ON,
        /** The character was the call's last. */
        COMPLETE,
        /** The call does not go on with this character, which was not taken. */
        BROKEN
    }

    Progress accept(char c, CallOutput out);

    /** The text ends inside the call: what is known of its arguments is written. */
    void cut(CallOutput out);

    /** Whether the arguments turned out to be no JSON after the call was announced: what follows up to the closing mark belongs to them. */
    default boolean isRaw() {
        return false;
    }
}
