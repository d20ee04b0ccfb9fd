package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.GenerationEvent.TextDelta;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Keeps what a generation reports. */
class Recorder implements GenerationListener {

    private static final long PATIENCE_SECONDS = 60;

    final List<GenerationEvent> events = new CopyOnWriteArrayList<>();
    final CountDownLatch firstText = new CountDownLatch(1);
    final CountDownLatch firstProgress = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile @Nullable GenerationException failure;
    private volatile boolean cancelled;
    private volatile int ends;

    @Override
    public void onEvent(GenerationEvent event) {
        events.add(event);
        switch (event) {
            case GenerationEvent.PromptProgress _ -> firstProgress.countDown();
            case GenerationEvent.TextDelta _ -> firstText.countDown();
            case GenerationEvent.Completed _ -> ended();
        }
    }

    @Override
    public void onFailure(GenerationException cause) {
        failure = cause;
        ended();
    }

    @Override
    public void onCancelled() {
        cancelled = true;
        ended();
    }

    private void ended() {
        ends = ends + 1;
        end.countDown();
    }

    Recorder awaitEnd() {
        await(end);
        assertThat(ends).as("ends reported").isEqualTo(1);
        return this;
    }

    static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("happened in time").isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    String text() {
        StringBuilder text = new StringBuilder();
        for (GenerationEvent event : events) {
            if (event instanceof GenerationEvent.TextDelta(String delta, int _, List<TokenLogprob> _)) {
                text.append(delta);
            }
        }
        return text.toString();
    }

    int deliveredTokens() {
        return deltas().stream().mapToInt(TextDelta::tokens).sum();
    }

    List<TokenLogprob> logprobs() {
        return deltas().stream().flatMap(delta -> delta.logprobs().stream()).toList();
    }

    List<TextDelta> deltas() {
        return events.stream().filter(TextDelta.class::isInstance).map(TextDelta.class::cast).toList();
    }

    GenerationEvent.Completed completed() {
        awaitEnd();
        assertThat(failure).isNull();
        assertThat(cancelled).isFalse();
        return (GenerationEvent.Completed) events.getLast();
    }

    GenerationException failure() {
        awaitEnd();
        assertThat(failure).as("failure").isNotNull();
        return failure;
    }

    boolean cancelled() {
        awaitEnd();
        return cancelled;
    }
}
