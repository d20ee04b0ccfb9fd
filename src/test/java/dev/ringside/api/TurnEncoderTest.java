package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.chat.AssistantPart;
import dev.ringside.engine.Timings;
import dev.ringside.engine.Usage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

class TurnEncoderTest {

    private static final Signal PROGRESS = new Signal.Event(0, new AnswerEvent.Progress(1, 9));
    private static final Signal TEXT = new Signal.Event(0,
            new AnswerEvent.Parts(List.of(new AssistantPart.Content("a\nb")), List.of()));
    private static final Signal FINISHED = new Signal.Event(0,
            new AnswerEvent.Finished(AnswerEnd.STOP, new Usage(3, 1, 0), new Timings(1, 1, 1)));

    private final AtomicLong now = new AtomicLong();

    @Test
    void everyEventHasANameAndOneLineOfData() {
        String stream = encode(Duration.ZERO, PROGRESS, TEXT, FINISHED, Signal.End.END);

        assertThat(stream).startsWith("event: message_start\ndata: {\"type\":\"message_start\"").endsWith("\n\n").contains("a\\nb");
        assertThat(stream.strip().split("\n\n", -1)).allSatisfy(event -> assertThat(event.lines()).hasSize(2));
    }

    @Test
    void silenceAsLongAsTheIntervalIsBrokenByAPing() {
        TurnEncoder encoder = encoder(Duration.ofSeconds(10));

        assertThat(send(encoder, Signal.Tick.TICK)).isEmpty();
        now.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(send(encoder, Signal.Tick.TICK)).isEqualTo("event: ping\ndata: {\"type\":\"ping\"}\n\n");
        assertThat(send(encoder, Signal.Tick.TICK)).isEmpty();
        now.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(send(encoder, PROGRESS)).as("the beginning is sign enough").startsWith("event: message_start");
    }

    @Test
    void withoutAnIntervalThereAreNoPings() {
        TurnEncoder encoder = encoder(Duration.ZERO);
        now.addAndGet(Duration.ofHours(1).toNanos());

        assertThat(send(encoder, Signal.Tick.TICK)).isEmpty();
    }

    @Test
    void anEndWithoutAReasonIsAnError() {
        assertThat(encode(Duration.ZERO, TEXT, Signal.End.END)).contains("event: error\n").doesNotContain("message_stop");
    }

    @Test
    void afterAPingAFailureIsAnEvent() {
        TurnEncoder encoder = encoder(Duration.ofSeconds(1));
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        send(encoder, Signal.Tick.TICK);

        assertThat(send(encoder, new Signal.Failed(new IllegalStateException("x")))).startsWith("event: error\n").contains("api_error");
    }

    private String encode(Duration interval, Signal... signals) {
        return send(encoder(interval), signals);
    }

    private TurnEncoder encoder(Duration interval) {
        return new TurnEncoder(new MessageWriter(new MessageHead("msg_1", "m", "req-1", 3, true)), new JsonBody(1 << 20), new ErrorMapper(),
                interval.toNanos(), now::get);
    }

    private static String send(TurnEncoder encoder, Signal... signals) {
        StringBuilder text = new StringBuilder();
        Flux.fromArray(signals).<byte[]>handle(encoder::accept).toIterable()
                .forEach(bytes -> text.append(new String(bytes, StandardCharsets.UTF_8)));
        return text.toString();
    }
}
