package dev.ringside.chat.jinja;

/** A template that cannot be parsed or rendered; the message gives the line of the template. */
public final class JinjaException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean raisedByTemplate;

    JinjaException(String message) {
        this(message, false);
    }

    private JinjaException(String message, boolean raisedByTemplate) {
        super(message);
        this.raisedByTemplate = raisedByTemplate;
    }

    /** The template called {@code raise_exception(message)}. */
    static JinjaException raised(String message) {
        return new JinjaException(message, true);
    }

    JinjaException atLine(int line) {
        return raisedByTemplate ? this : new JinjaException("template line " + line + ": " + getMessage());
    }

    /** Whether the template itself refused its input; the message is then the template's own. */
    public boolean raisedByTemplate() {
        return raisedByTemplate;
    }
}
