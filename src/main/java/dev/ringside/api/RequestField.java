package dev.ringside.api;

/**
 * A field that OpenAI's clients may send, and what becomes of it.
 *
 * @param note for the documentation, and for the message where it is refused
 */
record RequestField(String name, Support support, String note) {

    enum Support {
        /** It does what it says. */
        SUPPORTED,
        /** It is accepted because an answer without it is as right. */
        NO_EFFECT,
        /** It is refused unless its value asks for nothing. */
        REFUSED
    }

    static RequestField supported(String name, String note) {
        return new RequestField(name, Support.SUPPORTED, note);
    }

    static RequestField withoutEffect(String name, String note) {
        return new RequestField(name, Support.NO_EFFECT, note);
    }

    static RequestField refused(String name, String note) {
        return new RequestField(name, Support.REFUSED, note);
    }

    /** A row of the table in the documentation. */
    String row() {
        String what = switch (support) {
            case SUPPORTED -> "yes";
            case NO_EFFECT -> "accepted, no effect";
            case REFUSED -> "refused";
        };
        return "| `" + name + "` | " + what + " | " + note + " |";
    }
}
