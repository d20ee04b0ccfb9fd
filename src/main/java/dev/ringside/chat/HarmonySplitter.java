package dev.ringside.chat;

/**
 * Separates the messages of a gpt-oss turn: {@code <|channel|>analysis<|message|>...<|end|><|start|>assistant<|channel|>final<|message|>...}.
 * A header that names a recipient {@code functions.f} makes its message a call.
 */
final class HarmonySplitter implements TextSink {

    private static final String MESSAGE = "<|message|>";
    private static final String CHANNEL = "<|channel|>";
    private static final String RECIPIENT = "to=functions.";
    private static final int LONGEST_HEADER = 512;
    private static final int START = 0;

    private enum State {
        HEADER, CONTENT, REASONING, CALL, BETWEEN
    }

    private final PartWriter out;
    private final boolean calls;
    private final MarkerMatcher headerEnd = new MarkerMatcher(MESSAGE);
    private final MarkerMatcher bodyEnd = new MarkerMatcher("<|start|>", "<|end|>", "<|call|>", "<|return|>");
    private final StringBuilder header = new StringBuilder();
    private final StringBuilder plain = new StringBuilder();
    private JsonScanner arguments = new JsonScanner();
    private State state = State.HEADER;

    /** @param calls whether messages to functions are calls */
    HarmonySplitter(boolean calls, PartWriter out) {
        this.calls = calls;
        this.out = out;
    }

    @Override
    public void accept(char c) {
        if (state == State.HEADER) {
            header(c);
            return;
        }
        if (state == State.CALL && arguments.accept(c)) {
            // Inside a value the spelling of a mark is text.
            plain.append(c);
            body();
            return;
        }
        int mark = bodyEnd.accept(c, plain);
        body();
        if (mark == START) {
            state = State.HEADER;
        } else if (mark != MarkerMatcher.NONE) {
            state = State.BETWEEN;
        }
    }

    @Override
    public void end() {
        if (state == State.HEADER) {
            headerEnd.flush(header);
            // A turn that was cut off in a header has said nothing there; without any header it is an answer.
            if (!isHeader()) {
                out.content(header);
            }
        } else {
            bodyEnd.flush(plain);
            body();
        }
    }

    private void header(char c) {
        boolean found = headerEnd.accept(c, header) != MarkerMatcher.NONE;
        if (!found) {
            if (header.length() > LONGEST_HEADER || !header.isEmpty() && !isHeader()) {
                headerEnd.flush(header);
                state = State.CONTENT;
                plain.append(header);
                header.setLength(0);
                body();
            }
            return;
        }
        String text = header.toString();
        header.setLength(0);
        int recipient = text.indexOf(RECIPIENT);
        int channel = text.indexOf(CHANNEL);
        if (recipient >= 0 && calls) {
            out.opened(name(text, recipient + RECIPIENT.length()));
            state = State.CALL;
            arguments = new JsonScanner();
        } else {
            state = channel >= 0 && text.startsWith("analysis", channel + CHANNEL.length()) ? State.REASONING : State.CONTENT;
        }
    }

    /** Whether what was read can be the beginning of a header. */
    private boolean isHeader() {
        return begins("assistant") || begins(CHANNEL) || begins(" to=");
    }

    private boolean begins(String start) {
        int length = Math.min(start.length(), header.length());
        return start.substring(0, length).contentEquals(header.subSequence(0, length));
    }

    private void body() {
        switch (state) {
            case REASONING -> out.reasoning(plain);
            case CALL -> out.arguments(plain);
            case BETWEEN -> out.content(plain.toString().strip());
            case CONTENT, HEADER -> out.content(plain);
        }
        plain.setLength(0);
    }

    private static String name(String header, int from) {
        int to = from;
        while (to < header.length() && header.charAt(to) > ' ' && header.charAt(to) != '<') {
            to++;
        }
        return header.substring(from, to);
    }
}
