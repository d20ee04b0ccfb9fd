package dev.ringside.api;

import dev.ringside.chat.AssistantParser;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.serving.Delivery;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Operators;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * An answer on its way to its client: takes what happens to its choices, one event of each at a time and only when the client asks for bytes, and
 * has it encoded. So a slow client is felt by the engine's own bounded buffer and by nothing in between. One object in place of a chain of
 * operators, because every token passes here.
 */
final class StreamedAnswer implements Subscription, SynchronousSink<byte[]> {

    private final CoreSubscriber<? super byte[]> client;
    private final SignalEncoder encoder;
    private final ClientConnection connection;
    private final List<Choice> choices = new ArrayList<>();
    private final AtomicInteger draining = new AtomicInteger();
    private final AtomicLong requested = new AtomicLong();
    /** Calls of the server for more that are under way. */
    private final AtomicInteger asking = new AtomicInteger();
    private volatile boolean cancelled;
    private volatile boolean ticked;
    private @Nullable Disposable ticks;
    // From here on: of the thread that drains.
    private int turn;
    private int running;
    private byte @Nullable [] bytes;
    private @Nullable Throwable failure;
    private boolean completed;
    private boolean ended;
    /** Whether something was written that is not yet on its way. */
    private boolean unsent;

    StreamedAnswer(CoreSubscriber<? super byte[]> client, List<AnswerChoice> choices, SignalEncoder encoder, ClientConnection connection) {
        this.client = client;
        this.encoder = encoder;
        this.connection = connection;
        this.running = choices.size();
        Context context = connection.in(client.currentContext());
        for (int i = 0; i < choices.size(); i++) {
            this.choices.add(new Choice(i, choices.get(i).parser().get(), context));
        }
    }

    /** @param tickEvery how often the encoder is told that time has passed, zero for never */
    void start(Generator generator, List<AnswerChoice> requests, Duration tickEvery) {
        client.onSubscribe(this);
        if (!tickEvery.isZero()) {
            long nanos = tickEvery.toNanos();
            synchronized (this) {
                if (!cancelled) {
                    ticks = Schedulers.parallel().schedulePeriodically(this::tick, nanos, nanos, TimeUnit.NANOSECONDS);
                }
            }
        }
        for (int i = 0; i < choices.size() && !cancelled; i++) {
            generator.generate(requests.get(i).request()).subscribe(choices.get(i));
        }
    }

    @Override
    public void request(long n) {
        if (Operators.validate(n)) {
            requested.accumulateAndGet(n, Operators::addCap);
            // What is written from here on could overtake what the server has yet to write.
            asking.incrementAndGet();
            drain();
            asking.decrementAndGet();
        }
    }

    @Override
    public void cancel() {
        if (!cancelled) {
            stop();
        }
    }

    private void tick() {
        ticked = true;
        drain();
    }

    private void stop() {
        cancelled = true;
        synchronized (this) {
            if (ticks != null) {
                ticks.dispose();
            }
        }
        choices.forEach(Choice::cancel);
        connection.end();
    }

    /** One thread at a time; others leave it a note and go. */
    private void drain() {
        if (draining.getAndIncrement() == 0) {
            drainNotes(1);
        }
    }

    /** @param first notes that are known of */
    private void drainNotes(int first) {
        int notes = first;
        do {
            while (mayStep() && step()) {
                deliver();
            }
            flush();
            notes = draining.addAndGet(-notes);
        } while (notes != 0);
    }

    private boolean mayStep() {
        return !ended && !cancelled && requested.get() > 0;
    }

    /** Passes on what was encoded, if anything was. */
    private void deliver() {
        byte[] next = bytes;
        if (next != null) {
            bytes = null;
            unsent = true;
            if (ended() || asking.get() > 0 || !connection.write(next)) {
                pass(next);
            }
        }
        if (ended()) {
            ended = true;
            stop();
            Throwable cause = failure;
            if (cause == null) {
                client.onComplete();
            } else {
                client.onError(cause);
            }
        }
    }

    private void flush() {
        if (unsent) {
            unsent = false;
            connection.flush();
        }
    }

    private boolean ended() {
        return completed || failure != null;
    }

    private void pass(byte[] next) {
        if (requested.get() != Long.MAX_VALUE) {
            requested.decrementAndGet();
        }
        client.onNext(next);
    }

    /** Handles what has happened next; false when nothing has. */
    private boolean step() {
        if (ticked) {
            ticked = false;
            encode(Signal.Tick.TICK);
            return true;
        }
        for (int i = 0; i < choices.size(); i++) {
            Choice choice = choices.get(turn);
            turn = turn + 1 == choices.size() ? 0 : turn + 1;
            if (choice.advance()) {
                return true;
            }
        }
        return false;
    }

    private void encode(Signal signal) {
        try {
            encoder.accept(signal, this);
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    @Override
    public void next(byte[] more) {
        byte[] before = bytes;
        bytes = before == null ? more : ByteBuffer.allocate(before.length + more.length).put(before).put(more).array();
    }

    @Override
    public void complete() {
        completed = true;
    }

    @Override
    public void error(Throwable cause) {
        failure = cause;
    }

    @Override
    @Deprecated
    public Context currentContext() {
        return client.currentContext();
    }

    /** Takes one event after the other from a generation. */
    private final class Choice implements CoreSubscriber<GenerationEvent>, Delivery.Foresight {

        private final int index;
        private final AssistantParser parser;
        private final Consumer<AnswerEvent> toEncoder;
        private final Context context;
        private volatile @Nullable Subscription generation;
        private volatile @Nullable GenerationEvent event;
        private volatile @Nullable Throwable cause;
        private volatile boolean done;
        private boolean over;

        Choice(int index, AssistantParser parser, Context context) {
            this.index = index;
            this.parser = parser;
            this.toEncoder = each -> encode(new Signal.Event(index, each));
            this.context = context;
        }

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        public int lookAhead() {
            return draining.get() + (int) requested.get() + asking.get() + parser.toolCalls() + encoder.lookAhead()
                    + connection.lookAhead();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            generation = subscription;
            if (cancelled) {
                subscription.cancel();
            } else {
                subscription.request(1);
            }
        }

        @Override
        public void onNext(GenerationEvent next) {
            if (!draining.compareAndSet(0, 1)) {
                event = next;
                drain();
                return;
            }
            // As it nearly always is. What need not be left for another thread is not written to memory for it.
            if (mayStep()) {
                take(next);
                deliver();
            } else {
                event = next;
            }
            drainNotes(1);
        }

        @Override
        public void onError(Throwable failed) {
            cause = failed;
            done = true;
            drain();
        }

        @Override
        public void onComplete() {
            done = true;
            drain();
        }

        void cancel() {
            Subscription subscription = generation;
            if (subscription != null && !done) {
                subscription.cancel();
            }
        }

        boolean advance() {
            // In this order: the end may follow its last event at any moment.
            boolean isDone = done;
            GenerationEvent next = event;
            if (next != null) {
                event = null;
                take(next);
                return true;
            }
            if (!isDone || over) {
                return false;
            }
            over = true;
            Throwable failed = cause;
            if (failed != null) {
                encode(new Signal.Failed(failed));
            } else if (--running == 0) {
                encode(Signal.End.END);
            }
            return true;
        }

        private void take(GenerationEvent next) {
            try {
                AnswerChoice.translate(next, parser, toEncoder);
            } catch (RuntimeException e) {
                encode(new Signal.Failed(e));
                return;
            }
            Subscription subscription = generation;
            if (subscription != null) {
                subscription.request(1);
            }
        }
    }
}
