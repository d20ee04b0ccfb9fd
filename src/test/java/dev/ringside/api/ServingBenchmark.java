package dev.ringside.api;

import dev.ringside.chat.AssistantFormat;
import dev.ringside.engine.EngineHarness;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.gguf.GgufFile;
import dev.ringside.serving.Guards;
import dev.ringside.serving.RequestObserver;
import dev.ringside.serving.RequestRecord;
import dev.ringside.serving.RequestScheduler;
import dev.ringside.serving.SchedulerOptions;
import dev.ringside.tokenizer.Tokenizer;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.timelimiter.TimeLimiter;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.LoopResources;
import reactor.util.context.ContextView;

/**
 * What serving adds to a token: the time from a sampled token to its bytes in the socket, and what the engine's loop takes between two steps, at
 * 64 streams of a model that takes no time. docs/performance.md says how to run it.
 *
 * <p>A token's time begins when the engine's thread hands its text over and ends when the write to its socket has returned.
 */
final class ServingBenchmark {

    private static final int STREAMS = 64;
    private static final int WARM_UP_STEPS = 1500;
    private static final int STEPS = 1500;
    private static final long STEP_NANOS = 20_000_000;

    private final List<Stream> streams = new CopyOnWriteArrayList<>();
    private final List<Flushes> channels = new CopyOnWriteArrayList<>();
    private final long[] latencies = new long[STREAMS * STEPS * 2];
    private final long[] betweenSteps = new long[STEPS * 2];
    private final long[] handOvers = new long[STEPS * 2];
    private volatile boolean measuring;
    private int stepsMeasured;
    private long firstHandedOver;
    private long lastHandedOver;
    private int latencyCount;

    @EnableWebFlux
    static class Web {}

    /** When the last token of a stream was handed over. */
    private final class Stream implements RequestObserver.Watch {

        private volatile long handedOver;

        @Override
        public void tokens(int count, long nanos) {
            long now = System.nanoTime();
            handedOver = now;
            lastHandedOver = now;
            if (firstHandedOver == 0) {
                firstHandedOver = now;
            }
        }

        @Override
        public void ended(RequestRecord outcome) {}
    }

    /** Next to the socket: the write has returned when flush has. */
    private final class Flushes extends ChannelDuplexHandler {

        private final int number = channels.size();
        private long seen;

        @Override
        public void flush(ChannelHandlerContext context) {
            context.flush();
            if (measuring && number < streams.size()) {
                long from = streams.get(number).handedOver;
                // One write may hold what several flushes asked for.
                if (from != seen) {
                    seen = from;
                    add(System.nanoTime() - from);
                }
            }
        }
    }

    private synchronized void add(long nanos) {
        if (latencyCount < latencies.length) {
            latencies[latencyCount++] = nanos;
        }
    }

    private final class Observer implements RequestObserver {

        @Override
        public Watch arrived(GenerationRequest request, ContextView context) {
            Stream stream = new Stream();
            streams.add(stream);
            return stream;
        }
    }

    private ServingBenchmark() {}

    /** Runs it and prints the figures. */
    public static void main(String[] arguments) throws Exception {
        new ServingBenchmark().run();
    }

    private void run() throws Exception {
        SchedulerOptions options = new SchedulerOptions(STREAMS, STREAMS);
        try (EngineHarness harness = EngineHarness.hashing(STREAMS, 2 * STREAMS, 20_000);
                AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            Guards guards = new Guards(Bulkhead.of("admission", options.bulkheadConfig()),
                    CircuitBreaker.of("engine", Guards.breakerConfig(Duration.ofSeconds(10))), TimeLimiter.ofDefaults("first-token"));
            RequestScheduler scheduler = new RequestScheduler(harness.engine, options, guards, new Observer());
            scheduler.open();
            harness.model.beforeEachStep(_ -> pace());
            DisposableServer server = serve(context, scheduler);
            try {
                Thread reader = Thread.ofPlatform().daemon().start(new Clients(server.port()));
                while (!measuring || stepsMeasured < STEPS) {
                    LockSupport.parkNanos(100_000_000);
                    measuring |= harness.engine.snapshot().steps() > WARM_UP_STEPS && streams.size() == STREAMS;
                }
                measuring = false;
                reader.interrupt();
            } finally {
                server.disposeNow(Duration.ofSeconds(5));
                harness.engine.close(Duration.ofSeconds(5));
            }
        }
        report("token to socket", latencies, latencyCount);
        report("first to last token of a step", handOvers, Math.min(stepsMeasured, handOvers.length));
        report("between two steps", betweenSteps, Math.min(stepsMeasured, betweenSteps.length));
    }

    /** On the engine's thread, right before the model would run. */
    private void pace() {
        long now = System.nanoTime();
        if (measuring && lastHandedOver != 0 && stepsMeasured < betweenSteps.length) {
            handOvers[stepsMeasured] = lastHandedOver - firstHandedOver;
            betweenSteps[stepsMeasured++] = now - lastHandedOver;
        }
        firstHandedOver = 0;
        long until = now + STEP_NANOS;
        while (System.nanoTime() < until) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
    }

    private DisposableServer serve(AnnotationConfigApplicationContext context, RequestScheduler scheduler) {
        ApiSettings settings = new ApiSettings("bench", Instant.EPOCH, 20_000, EngineHarness.VOCABULARY,
                new SamplingDefaults(0, 1, 0, 0, 1), List.of(), List.of(), 1 << 20, Duration.ofSeconds(5), Duration.ofSeconds(10), "fp",
                CorsSettings.off(), new ResponseStoreSettings(0, Duration.ofHours(1)));
        try (GgufFile file = GgufFile.open(Path.of("src/main/resources/models/ringside-demo.gguf"))) {
            Tokenizer tokenizer = Tokenizer.from(file.metadata());
            context.registerBean(Tokenizer.class, () -> tokenizer);
        }
        context.registerBean(AssistantFormat.class, () -> AssistantFormat.detect(""));
        context.registerBean(ApiSettings.class, () -> settings);
        context.registerBean(Generator.class, () -> scheduler::generate);
        context.register(Web.class, ApiConfiguration.class, ApiErrorHandler.class, ApiKeyFilter.class, RequestIdFilter.class,
                CallLimits.class,
                ServingFilter.class, RateLimitFilter.class, CompletionController.class);
        context.refresh();
        return HttpServer.create().runOn(LoopResources.create("bench-http", Runtime.getRuntime().availableProcessors(), true)).port(0)
                .doOnChannelInit((_, channel, _) -> {
                    Flushes flushes = new Flushes();
                    channels.add(flushes);
                    channel.pipeline().addFirst(flushes);
                }).handle(new ReactorHttpHandlerAdapter(WebHttpHandlerBuilder.applicationContext(context).build())).bindNow();
    }

    /** All clients on one thread, which only takes bytes away. */
    private final class Clients implements Runnable {

        private final int port;

        Clients(int port) {
            this.port = port;
        }

        @Override
        public void run() {
            String body = "{\"prompt\":[1,2,3],\"temperature\":0,\"max_tokens\":19000,\"stream\":true}";
            byte[] request = ("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                    + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII);
            ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 16);
            List<SocketChannel> sockets = new ArrayList<>();
            try {
                for (int i = 0; i < STREAMS; i++) {
                    SocketChannel socket = SocketChannel.open(new InetSocketAddress("localhost", port));
                    socket.write(ByteBuffer.wrap(request));
                    // Streams and channels are matched by their order.
                    while (streams.size() <= i) {
                        LockSupport.parkNanos(1_000_000);
                    }
                    socket.configureBlocking(false);
                    sockets.add(socket);
                }
                while (!Thread.interrupted()) {
                    // Not waiting for bytes, not even with a selector that is looked at now and then: what the kernel does for one
                    // when bytes come is done on the thread that writes them, where the clients are on the same machine.
                    for (SocketChannel socket : sockets) {
                        socket.read(bytes.clear());
                    }
                    // Many at a time: clients are other machines, and their reading is not to be measured.
                    LockSupport.parkNanos(10_000_000);
                }
            } catch (ClosedByInterruptException e) {
                // The end of the measurement.
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void report(String what, long[] nanos, int count) {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        System.out.printf(Locale.ROOT, "%s: median %.1f us, p90 %.1f us, p99 %.1f us (%d measured)%n", what, at(sorted, 0.5),
                at(sorted, 0.9),
                at(sorted, 0.99), count);
    }

    private static double at(long[] sorted, double share) {
        return sorted.length == 0 ? 0 : sorted[(int) (share * (sorted.length - 1))] / 1e3;
    }
}
