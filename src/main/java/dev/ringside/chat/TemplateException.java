package dev.ringside.chat;

/** A chat template that cannot be parsed, or that cannot or will not render a conversation. */
public final class TemplateException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean raisedByTemplate;

    TemplateException(String message, boolean raisedByTemplate, Throwable cause) {
        super(message, cause);
        this.raisedByTemplate = raisedByTemplate;
    }

    /** Whether the template refused the conversation with {@code raise_exception}; the message is then the template's own. */
    public boolean raisedByTemplate() {
        return raisedByTemplate;
    }
}
