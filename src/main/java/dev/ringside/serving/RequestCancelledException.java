package dev.ringside.serving;

/** The request was cancelled by somebody else than its client. */
public final class RequestCancelledException extends ServingException {

    private static final long serialVersionUID = 1L;

    RequestCancelledException() {
        super("The request was cancelled by its id");
    }

    @Override
    public String code() {
        return "request_cancelled";
    }
}
