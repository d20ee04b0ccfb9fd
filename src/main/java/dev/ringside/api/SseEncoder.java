package dev.ringside.api;

import dev.ringside.chat.AssistantPart;
import dev.ringside.engine.TokenLogprob;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.SynchronousSink;

/**
 * Turns the signals of one stream into the bytes of server-sent events. Not thread safe: signals come one after another.
 * <p>
 * A failure before the first byte is passed on as an error, so that it gets a real HTTP status; later ones become an event of their own,
 * after which the stream ends without {@code [DONE]}.
 */
final class SseEncoder implements SignalEncoder {

    // The space after the colon is optional in the standard, and widespread clients fail without it.
    private static final byte[] DATA = "data: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END_OF_EVENT = "\n\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DONE = "[DONE]".getBytes(StandardCharsets.US_ASCII);
    private static final long PROGRESS_PAUSE_NANOS = 250_000_000;

    private final AnswerFormat format;
    private final JsonBody json;
    private final ErrorMapper errors;
    private final boolean includeUsage;
    private final long commentNanos;
    private final LongSupplier clock;
    private final boolean[] opened;
    private final boolean[] finished;
    private final UsageSum usage;
    private final EventBytes out = new EventBytes();
    private final @Nullable DeltaTemplates[] templates;
    private long lastWrite;
    private boolean written;
    private boolean progressShown;

    /**
     * @param commentNanos longest silence before a comment is sent, 0 for no comments at all
     * @param clock nanoseconds that only grow
     */
    SseEncoder(AnswerFormat format, int choices, AnswerHead head, JsonBody json, ErrorMapper errors, long commentNanos,
            LongSupplier clock) {
        this.format = format;
        this.json = json;
        this.errors = errors;
        this.includeUsage = head.usageAsked();
        this.usage = new UsageSum(head.choicesPerPrompt());
        this.commentNanos = commentNanos;
        this.clock = clock;
        this.opened = new boolean[choices];
        this.finished = new boolean[choices];
        this.templates = new @Nullable DeltaTemplates[choices];
        this.lastWrite = clock.getAsLong();
    }

    /** Handles one signal: emits at most one array of bytes, which may hold several events. */
    @Override
    public void accept(Signal signal, SynchronousSink<byte[]> sink) {
        boolean end = switch (signal) {
            case Signal.Event(int choice, AnswerEvent event) -> event(choice, event);
            case Signal.Failed(Throwable cause) -> fail(cause, sink);
            case Signal.Tick _ -> comment("ping", commentNanos);
            case Signal.End _ -> end(sink);
        };
        if (!out.isEmpty()) {
            written = true;
            lastWrite = clock.getAsLong();
            sink.next(out.take());
        }
        if (end) {
            sink.complete();
        }
    }

    @Override
    public int lookAhead() {
        DeltaTemplates own = templates[0];
        return opened.length + out.lookAhead() + (own == null ? 0 : own.lookAhead());
    }

    private boolean event(int choice, AnswerEvent event) {
        if (!opened[choice]) {
            opened[choice] = true;
            data(format.opening(choice));
        }
        switch (event) {
            case AnswerEvent.Progress(int processed, int total) -> {
                comment("prompt " + processed + "/" + total, progressShown ? PROGRESS_PAUSE_NANOS : 0);
                progressShown = true;
            }
            case AnswerEvent.Parts(List<AssistantPart> parts, List<TokenLogprob> logprobs) -> parts(choice, parts, logprobs);
            case AnswerEvent.Finished done -> {
                finished[choice] = true;
                usage.add(choice, done.usage());
                data(format.finish(choice, done.reason(), TimingsBody.of(done.usage(), done.timings())));
            }
        }
        return false;
    }

    /** One chunk for each part, since many clients look at the first tool call of a chunk only. */
    private void parts(int choice, List<AssistantPart> parts, List<TokenLogprob> logprobs) {
        if (parts.isEmpty()) {
            data(format.delta(choice, null, logprobs));
        }
        for (int i = 0; i < parts.size(); i++) {
            AssistantPart part = parts.get(i);
            List<TokenLogprob> own = i == 0 ? logprobs : List.of();
            if (!own.isEmpty() || !format.hasPlainDeltas() || !templates(choice).write(part, out)) {
                data(format.delta(choice, part, own));
            }
        }
    }

    private DeltaTemplates templates(int choice) {
        DeltaTemplates own = templates[choice];
        if (own == null) {
            own = new DeltaTemplates(part -> {
                EventBytes one = new EventBytes();
                event(json.write(format.delta(choice, part, List.of())), one);
                return one.take();
            });
            templates[choice] = own;
        }
        return own;
    }

    /** Whether the stream ends here; false when the error was passed on instead. */
    private boolean fail(Throwable cause, SynchronousSink<byte[]> sink) {
        if (!written) {
            sink.error(cause);
            return false;
        }
        data(ErrorBody.of(errors.map(cause)));
        return true;
    }

    private boolean end(SynchronousSink<byte[]> sink) {
        for (boolean done : finished) {
            if (!done) {
                return fail(new IllegalStateException("The engine ended a generation without saying why"), sink);
            }
        }
        if (includeUsage) {
            data(format.usage(UsageBody.of(usage.total())));
        }
        event(DONE, out);
        return true;
    }

    private boolean comment(String text, long silence) {
        if (commentNanos > 0 && clock.getAsLong() - lastWrite >= silence) {
            out.writeAscii(": " + text);
            out.write(END_OF_EVENT);
        }
        return false;
    }

    private void data(@Nullable Object body) {
        if (body != null) {
            event(json.write(body), out);
        }
    }

    private static void event(byte[] data, EventBytes out) {
        out.write(DATA);
        out.write(data);
        out.write(END_OF_EVENT);
    }
}
