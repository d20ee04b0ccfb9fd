package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.chat.AssistantPart;
import dev.ringside.engine.FinishReason;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.Timings;
import dev.ringside.engine.Usage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Signs of life while a stream has no text to send. */
class SseCommentTest {

    private final AnswerHead head = new AnswerHead("id", 1, "model", "fp", false, null, 1);
    private long now;

    @Test
    void silenceAsLongAsTheIntervalIsBrokenByAComment() {
        SseEncoder encoder = encoder(Duration.ofSeconds(10));
        now = Duration.ofSeconds(9).toNanos();
        assertThat(encode(encoder, Signal.Tick.TICK)).isEmpty();
        now = Duration.ofSeconds(10).toNanos();
        assertThat(encode(encoder, Signal.Tick.TICK)).isEqualTo(": ping\n\n");
        now = Duration.ofSeconds(12).toNanos();
        assertThat(encode(encoder, Signal.Tick.TICK)).as("the comment itself broke the silence").isEmpty();
    }

    @Test
    void progressInALongPromptIsShownBehindTheRole() {
        SseEncoder encoder = encoder(Duration.ofSeconds(10));

        String first = encode(encoder, event(new AnswerEvent.Progress(512, 2000)));

        assertThat(first).startsWith("data: {").contains("\"role\":\"assistant\"").endsWith("\n\n: prompt 512/2000\n\n");
        now = Duration.ofMillis(100).toNanos();
        assertThat(encode(encoder, event(new AnswerEvent.Progress(600, 2000)))).as("soon after another").isEmpty();
        now = Duration.ofMillis(400).toNanos();
        assertThat(encode(encoder, event(new AnswerEvent.Progress(1024, 2000)))).isEqualTo(": prompt 1024/2000\n\n");
    }

    @Test
    void withoutAnIntervalThereAreNoComments() {
        SseEncoder encoder = encoder(Duration.ZERO);
        now = Duration.ofHours(1).toNanos();

        assertThat(encode(encoder, event(new AnswerEvent.Progress(512, 2000)))).doesNotContain("\n: ");
        assertThat(encode(encoder, Signal.Tick.TICK)).isEmpty();
    }

    @Test
    void commentsKeepAWaitingStreamAlive() {
        Flux<GenerationEvent> late = Flux.<GenerationEvent>just(new GenerationEvent.TextDelta("late", 1))
                .delaySubscription(Duration.ofMillis(700))
                .concatWithValues(new GenerationEvent.Completed(FinishReason.STOP, new Usage(12, 1, 0), new Timings(1, 2, 3)));
        AnswerStream stream = new AnswerStream(_ -> late, new JsonBody(1024), new ErrorMapper(), Duration.ofMillis(100));

        List<String> events = stream
                .events(List.of(StreamedAnswerTest.choice()), new ChatFormat(head, null), head, ClientConnection.UNKNOWN)
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .collectList().block(Duration.ofSeconds(20));

        assertThat(events).hasSizeGreaterThan(4).startsWith(": ping\n\n").endsWith("data: [DONE]\n\n");
    }

    @Test
    void aFailureBehindACommentIsAnErrorEvent() {
        SseEncoder encoder = encoder(Duration.ofSeconds(1));
        now = Duration.ofSeconds(2).toNanos();
        encode(encoder, Signal.Tick.TICK);

        assertThat(encode(encoder, new Signal.Failed(new IllegalStateException("secret detail"))))
                .startsWith("data: {\"error\":{\"message\":\"The server failed")
                .doesNotContain("secret");
    }

    @Test
    void textWithLineBreaksStaysOneEvent() {
        assertThat(encode(encoder(Duration.ZERO), event(text("a\n\nb\r\u2028"))))
                .contains("\"content\":\"a\\n\\nb\\r").satisfies(text -> assertThat(text.split("\n\n")).hasSize(2));
    }

    private SseEncoder encoder(Duration interval) {
        return new SseEncoder(new ChatFormat(head, null), 1, head, new JsonBody(1024), new ErrorMapper(), interval.toNanos(), () -> now);
    }

    private static AnswerEvent text(String text) {
        return new AnswerEvent.Parts(List.of(new AssistantPart.Content(text)), List.of());
    }

    private static Signal event(AnswerEvent event) {
        return new Signal.Event(0, event);
    }

    private static String encode(SseEncoder encoder, Signal signal) {
        List<byte[]> written = new ArrayList<>(
                Flux.just(signal).<byte[]>handle(encoder::accept).collectList().block(Duration.ofSeconds(10)));
        return written.isEmpty() ? "" : new String(written.getFirst(), StandardCharsets.UTF_8);
    }
}
