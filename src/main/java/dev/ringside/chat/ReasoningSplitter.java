package dev.ringside.chat;

/** Separates the reasoning at the beginning of a turn from the answer. Line breaks around the marks are the format's and are dropped. */
final class ReasoningSplitter implements TextSink {

    private static final int MOST_SPACE = 256;

    private enum State {
        START, BEFORE_REASONING, REASONING, BEFORE_ANSWER, ANSWER
    }

    private final TextSink answer;
    private final PartWriter out;
    private final MarkerMatcher opener;
    private final MarkerMatcher closer;
    private final StringBuilder plain = new StringBuilder();
    private final StringBuilder space = new StringBuilder();
    private State state;

    /** @param thinking whether the prompt ends inside the reasoning */
    ReasoningSplitter(ReasoningFormat format, boolean thinking, PartWriter out, TextSink answer) {
        this.opener = new MarkerMatcher(format.opener());
        this.closer = new MarkerMatcher(format.closer());
        this.answer = answer;
        this.out = out;
        this.state = thinking ? State.BEFORE_REASONING : State.START;
    }

    @Override
    public void accept(char c) {
        switch (state) {
            case START -> start(c);
            case BEFORE_REASONING -> {
                if (!isLineBreak(c)) {
                    state = State.REASONING;
                    reasoning(c);
                }
            }
            case REASONING -> reasoning(c);
            case BEFORE_ANSWER -> {
                if (!isLineBreak(c)) {
                    state = State.ANSWER;
                    answer.accept(c);
                }
            }
            case ANSWER -> answer.accept(c);
        }
    }

    @Override
    public void end() {
        switch (state) {
            case START -> {
                opener.flush(plain);
                noReasoning();
            }
            case REASONING -> {
                closer.flush(plain);
                think();
                out.reasoning(space);
            }
            case BEFORE_REASONING, BEFORE_ANSWER, ANSWER -> {
            }
        }
        answer.end();
    }

    private void start(char c) {
        if (opener.isIdle() && JsonScanner.isSpace(c)) {
            space.append(c);
            if (space.length() > MOST_SPACE) {
                noReasoning();
            }
            return;
        }
        boolean found = opener.accept(c, plain) != MarkerMatcher.NONE;
        if (found && plain.isEmpty()) {
            space.setLength(0);
            state = State.BEFORE_REASONING;
        } else if (!plain.isEmpty()) {
            opener.flush(plain);
            noReasoning();
        }
    }

    private void noReasoning() {
        state = State.ANSWER;
        pass(space);
        pass(plain);
    }

    private void reasoning(char c) {
        boolean found = closer.accept(c, plain) != MarkerMatcher.NONE;
        think();
        if (found) {
            space.setLength(0);
            state = State.BEFORE_ANSWER;
        }
    }

    private void think() {
        for (int i = 0; i < plain.length(); i++) {
            char c = plain.charAt(i);
            if (JsonScanner.isSpace(c) && space.length() < MOST_SPACE) {
                space.append(c);
            } else {
                out.reasoning(space);
                space.setLength(0);
                out.reasoning(c);
            }
        }
        plain.setLength(0);
    }

    private void pass(StringBuilder text) {
        for (int i = 0; i < text.length(); i++) {
            answer.accept(text.charAt(i));
        }
        text.setLength(0);
    }

    private static boolean isLineBreak(char c) {
        return c == '\n' || c == '\r';
    }
}
