package dev.ringside.chat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Separates tool calls from the text of an answer. White space around calls is the format's and is dropped; what looks like a call and is
 * none comes back as text.
 */
final class ToolCallSplitter implements TextSink, CallOutput {

    // What a broken call began with is looked at again as far as this, in case a call follows; more would make the time quadratic.
    private static final int LOOK_AGAIN = 64;
    private static final int MOST_SPACE = 256;

    private final ToolFormat format;
    private final ToolCatalog tools;
    private final PartWriter out;
    private final List<String> marks = new ArrayList<>();
    private final MarkerMatcher matcher;
    private final MarkerMatcher rawEnd;
    private final StringBuilder plain = new StringBuilder();
    private final StringBuilder space = new StringBuilder();
    private final StringBuilder raw = new StringBuilder();
    private @Nullable CallReader call;
    private int openerLength;
    private boolean opened;
    private boolean atStart = true;
    private boolean afterCall;
    private boolean again;

    ToolCallSplitter(ToolFormat format, ToolCatalog tools, PartWriter out) {
        this.format = format;
        this.tools = tools;
        this.out = out;
        marks.addAll(format.openers());
        marks.addAll(format.closers());
        this.matcher = new MarkerMatcher(marks);
        this.rawEnd = new MarkerMatcher(format.closers().stream().filter(mark -> mark.length() > 1).toList());
    }

    @Override
    public void accept(char c) {
        CallReader reader = call;
        if (reader != null) {
            inCall(reader, c);
        } else if (!again && matcher.isIdle() && (atStart && format.opensWith(c) || afterCall && format.continuesWith(c))) {
            begin("", false);
            accept(c);
        } else {
            int mark = matcher.accept(c, plain);
            plain();
            if (mark != MarkerMatcher.NONE) {
                marked(mark);
            }
        }
    }

    @Override
    public void end() {
        if (call == null) {
            matcher.flush(plain);
            plain();
        } else if (opened) {
            call.cut(this);
            rawEnd.flush(plain);
            arguments(plain);
        } else {
            call = null;
            text(raw);
        }
        if (out.calls() == 0) {
            out.content(space);
        }
    }

    @Override
    public void opened(String name) {
        opened = true;
        space.setLength(0);
        raw.setLength(0);
        out.opened(name);
    }

    @Override
    public void arguments(CharSequence more) {
        out.arguments(more);
    }

    private void marked(int mark) {
        if (mark < format.openers().size()) {
            begin(marks.get(mark), true);
        } else if (!afterCall) {
            text(marks.get(mark));
        }
    }

    private void begin(String opener, boolean marked) {
        raw.setLength(0);
        raw.append(opener);
        openerLength = opener.length();
        opened = false;
        call = format.reader(opener, marked, tools);
    }

    private void inCall(CallReader reader, char c) {
        if (opened && reader.isRaw()) {
            boolean ended = rawEnd.accept(c, plain) != MarkerMatcher.NONE;
            arguments(plain);
            plain.setLength(0);
            if (ended) {
                finish();
            }
            return;
        }
        switch (reader.accept(c, this)) {
            case GOING_ON -> {
                if (!opened) {
                    raw.append(c);
                }
            }
            case COMPLETE -> finish();
            case BROKEN -> {
                if (opened) {
                    finish();
                    accept(c);
                } else {
                    giveBack(c);
                }
            }
        }
    }

    private void finish() {
        call = null;
        afterCall = true;
        atStart = false;
    }

    /** It was no call. */
    private void giveBack(char c) {
        call = null;
        String all = raw.append(c).toString();
        raw.setLength(0);
        boolean bare = openerLength == 0;
        int from = all.length() - openerLength <= LOOK_AGAIN ? openerLength : all.length() - 1;
        text(all.substring(0, from));
        for (int i = from; i < all.length(); i++) {
            again = bare && i == 0;
            accept(all.charAt(i));
        }
        again = false;
    }

    private void plain() {
        if (!plain.isEmpty()) {
            text(plain);
            plain.setLength(0);
        }
    }

    private void text(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (JsonScanner.isSpace(c)) {
                space.append(c);
                if (space.length() > MOST_SPACE && !afterCall) {
                    out.content(space);
                    space.setLength(0);
                }
                continue;
            }
            out.content(space);
            space.setLength(0);
            out.content(String.valueOf(c));
            atStart = false;
            afterCall = false;
        }
    }
}
