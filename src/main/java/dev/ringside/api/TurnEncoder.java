package dev.ringside.api;

import dev.ringside.chat.AssistantPart;
import java.util.function.LongSupplier;
import reactor.core.publisher.SynchronousSink;

/** Turns what happens to one answer into bytes of its stream. One per answer, one signal at a time. */
final class TurnEncoder {

    private final TurnWriter writer;
    private final NamedEvents out;
    private final ErrorMapper errors;
    private final long pingNanos;
    private final LongSupplier clock;
    private boolean begun;
    private boolean written;
    private boolean finished;
    private long lastWrite;

    /**
     * @param pingNanos longest silence before a ping, 0 for none
     * @param clock nanoseconds that only grow
     */
    TurnEncoder(TurnWriter writer, JsonBody json, ErrorMapper errors, long pingNanos, LongSupplier clock) {
        this.writer = writer;
        this.out = new NamedEvents(json);
        this.errors = errors;
        this.pingNanos = pingNanos;
        this.clock = clock;
        this.lastWrite = clock.getAsLong();
    }

    /** For {@code Flux.handle}: an error before the first byte is passed on, so that it can have a status. */
    void accept(Signal signal, SynchronousSink<byte[]> sink) {
        boolean ends = switch (signal) {
            case Signal.Event(int _, AnswerEvent event) -> event(event);
            case Signal.Failed(Throwable cause) -> fail(cause, sink);
            case Signal.Tick _ -> tick();
            case Signal.End _ -> finished || fail(new IllegalStateException("The engine ended a generation without saying why"), sink);
        };
        if (!out.isEmpty()) {
            written = true;
            lastWrite = clock.getAsLong();
            sink.next(out.take());
        }
        if (ends) {
            sink.complete();
        }
    }

    private boolean event(AnswerEvent event) {
        if (!begun) {
            begun = true;
            writer.begin(out);
        }
        switch (event) {
            case AnswerEvent.Progress _ -> tick();
            case AnswerEvent.Parts parts -> {
                for (AssistantPart part : parts.parts()) {
                    writer.part(part, out);
                }
            }
            case AnswerEvent.Finished end -> {
                finished = true;
                writer.finish(end, out);
            }
        }
        return false;
    }

    private boolean tick() {
        if (pingNanos > 0 && out.isEmpty() && clock.getAsLong() - lastWrite >= pingNanos) {
            writer.ping(out);
        }
        return false;
    }

    /** Whether the stream ends here; false when the error was passed on instead. */
    private boolean fail(Throwable cause, SynchronousSink<byte[]> sink) {
        if (!written) {
            sink.error(cause);
            return false;
        }
        writer.fail(errors.map(cause), out);
        return true;
    }
}
