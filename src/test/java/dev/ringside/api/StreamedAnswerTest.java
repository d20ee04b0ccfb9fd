package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.chat.AssistantFormat;
import dev.ringside.chat.AssistantPart;
import dev.ringside.chat.ReasoningFormat;
import dev.ringside.chat.ToolCatalog;
import dev.ringside.chat.ToolFormat;
import dev.ringside.engine.FinishReason;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.engine.Timings;
import dev.ringside.engine.Usage;
import dev.ringside.sampling.SamplingParameters;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.core.publisher.SynchronousSink;

/** How the news of an answer's choices become one stream. */
class StreamedAnswerTest {

    private static final GenerationEvent END = new GenerationEvent.Completed(FinishReason.STOP, new Usage(3, 2, 0), new Timings(1, 2, 3));

    private final List<Sinks.Many<GenerationEvent>> generations = new ArrayList<>();
    private final AtomicInteger cancelled = new AtomicInteger();

    /** One choice of plain text. */
    static AnswerChoice choice() {
        GenerationRequest request = new GenerationRequest("r", new int[] {1}, SamplingParameters.greedy(), 10, List.of(), false);
        AssistantFormat plain = new AssistantFormat(ReasoningFormat.NONE, ToolFormat.JSON_TAGS);
        return new AnswerChoice(request, () -> plain.parser(false, ToolCatalog.EMPTY, () -> "call"));
    }

    @Test
    void choicesInterleaveAsTheyCome() {
        Reader reader = read(2, Long.MAX_VALUE);

        text(0, "a");
        text(1, "b");
        text(0, "c");
        generations.get(0).tryEmitNext(END);
        generations.get(0).tryEmitComplete();
        assertThat(reader.ended).isFalse();
        text(1, "d");
        generations.get(1).tryEmitNext(END);
        generations.get(1).tryEmitComplete();

        assertThat(reader.seen).containsExactly("0:a", "1:b", "0:c", "0:end", "1:d", "1:end", "END");
        assertThat(reader.ended).isTrue();
        assertThat(cancelled).hasValue(0);
    }

    @Test
    void nothingIsTakenThatWasNotAskedFor() {
        Reader reader = read(1, 1);

        text(0, "a");
        text(0, "b");
        text(0, "c");
        assertThat(reader.seen).containsExactly("0:a");
        reader.request(2);
        assertThat(reader.seen).containsExactly("0:a", "0:b", "0:c");
    }

    @Test
    void theTextHeldBackAndTheEndAreOnePiece() {
        Reader reader = new Reader(Long.MAX_VALUE);
        AssistantFormat thinking = new AssistantFormat(ReasoningFormat.THINK_TAGS, ToolFormat.JSON_TAGS);
        AnswerChoice choice = new AnswerChoice(choice().request(), () -> thinking.parser(false, ToolCatalog.EMPTY, () -> "call"));
        // Might be the beginning of a mark until the end comes.
        new StreamedAnswer(reader, List.of(choice), StreamedAnswerTest::name, ClientConnection.UNKNOWN)
                .start(_ -> Flux.just(new GenerationEvent.TextDelta("<thi", 1), END), List.of(choice), Duration.ZERO);

        assertThat(reader.seen).containsExactly("0:<thi 0:end", "END");
    }

    @Test
    void aFailureEndsTheOtherChoices() {
        Reader reader = read(3, Long.MAX_VALUE);

        text(2, "a");
        generations.get(1).tryEmitError(new IllegalStateException("broken"));

        assertThat(reader.seen).containsExactly("2:a", "failed broken");
        assertThat(reader.ended).isTrue();
        assertThat(cancelled).hasValue(2);
    }

    @Test
    void aClientThatLeavesEndsAllChoices() {
        Reader reader = read(3, Long.MAX_VALUE);
        text(0, "a");
        reader.cancel();
        text(1, "b");

        assertThat(reader.seen).containsExactly("0:a");
        assertThat(cancelled).hasValue(3);
    }

    @Test
    void aClientThatIsGoneBeforeTheBeginningStartsNothing() {
        AtomicInteger started = new AtomicInteger();
        BaseSubscriber<byte[]> gone = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                cancel();
            }
        };
        new StreamedAnswer(gone, List.of(choice()), StreamedAnswerTest::name, ClientConnection.UNKNOWN)
                .start(_ -> Flux.<GenerationEvent>never().doOnSubscribe(_ -> started.incrementAndGet()), List.of(choice()), Duration.ZERO);

        assertThat(started).hasValue(0);
    }

    @Test
    void timePassesBetweenTheEvents() {
        Flux<String> seen = Flux.<byte[]>from(client -> new StreamedAnswer(Operators.toCoreSubscriber(client),
                List.of(choice()), StreamedAnswerTest::name, ClientConnection.UNKNOWN)
                .start(_ -> Flux.never(), List.of(choice()), Duration.ofMillis(1))).map(StreamedAnswerTest::text);

        assertThat(seen.take(3).collectList().block(Duration.ofSeconds(20))).containsExactly("tick", "tick", "tick");
    }

    private Reader read(int choices, long wanted) {
        Reader reader = new Reader(wanted);
        List<AnswerChoice> list = new ArrayList<>();
        for (int i = 0; i < choices; i++) {
            list.add(choice());
        }
        new StreamedAnswer(reader, list, StreamedAnswerTest::name, ClientConnection.UNKNOWN).start(_ -> {
            Sinks.Many<GenerationEvent> generation = Sinks.many().unicast().onBackpressureBuffer();
            generations.add(generation);
            return generation.asFlux().doOnCancel(cancelled::incrementAndGet);
        }, list, Duration.ZERO);
        return reader;
    }

    private void text(int choice, String text) {
        generations.get(choice).tryEmitNext(new GenerationEvent.TextDelta(text, 1));
    }

    /** Says what an encoder was told, and ends when it was told so. */
    private static void name(Signal signal, SynchronousSink<byte[]> sink) {
        switch (signal) {
            case Signal.Event(int choice, AnswerEvent.Parts parts) -> sink.next(bytes(choice + ":" + parts.parts().stream()
                    .map(part -> ((AssistantPart.Content) part).text()).reduce("", String::concat)));
            case Signal.Event(int choice, AnswerEvent.Finished _) -> sink.next(bytes(choice + ":end"));
            case Signal.Event(int _, AnswerEvent.Progress _) -> {
            }
            case Signal.Tick _ -> sink.next(bytes("tick"));
            case Signal.Failed(Throwable cause) -> {
                sink.next(bytes("failed " + cause.getMessage()));
                sink.complete();
            }
            case Signal.End _ -> {
                sink.next(bytes("END"));
                sink.complete();
            }
        }
    }

    private static byte[] bytes(String text) {
        return (" " + text).getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8).strip();
    }

    private static final class Reader extends BaseSubscriber<byte[]> {

        final List<String> seen = new ArrayList<>();
        boolean ended;
        private final long wanted;

        Reader(long wanted) {
            this.wanted = wanted;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            subscription.request(wanted);
        }

        @Override
        protected void hookOnNext(byte[] bytes) {
            seen.add(text(bytes));
        }

        @Override
        protected void hookOnComplete() {
            ended = true;
        }
    }
}
