package dev.ringside.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.GenerationEvent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** A subscriber that asks for as much as it is told to. */
final class Client extends BaseSubscriber<GenerationEvent> {

    final List<GenerationEvent> events = new CopyOnWriteArrayList<>();
    private final long initialRequest;
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile @Nullable Throwable failure;

    private Client(long initialRequest) {
        this.initialRequest = initialRequest;
    }

    static Client of(Flux<GenerationEvent> flux) {
        return of(flux, Long.MAX_VALUE);
    }

    static Client of(Flux<GenerationEvent> flux, long initialRequest) {
        Client client = new Client(initialRequest);
        flux.subscribe(client);
        return client;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        if (initialRequest > 0) {
            subscription.request(initialRequest);
        }
    }

    @Override
    protected void hookOnNext(GenerationEvent event) {
        events.add(event);
        first.countDown();
    }

    @Override
    protected void hookOnComplete() {
        end.countDown();
    }

    @Override
    protected void hookOnError(Throwable cause) {
        failure = cause;
        end.countDown();
    }

    Client awaitFirst() {
        await(first);
        return this;
    }

    Client awaitEnd() {
        await(end);
        return this;
    }

    GenerationEvent.Completed completed() {
        awaitEnd();
        assertThat(failure).isNull();
        return (GenerationEvent.Completed) events.getLast();
    }

    Throwable failure() {
        awaitEnd();
        assertThat(failure).as("failure").isNotNull();
        return failure;
    }

    boolean hasEnded() {
        return end.getCount() == 0;
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(SchedulerHarness.PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("happened in time").isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
