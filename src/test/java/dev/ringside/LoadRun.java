package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringside.serving.RequestInfo;
import dev.ringside.serving.RequestInfo.State;
import dev.ringside.serving.RequestScheduler;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import tools.jackson.databind.JsonNode;

/**
 * Many clients at once: most read their answers and compare them with what the server said to each prompt alone, some leave at a random point,
 * one reads two kilobytes a second. Prompts are short and long, shared and new.
 */
final class LoadRun {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int SLOW_BYTES = 256;
    private static final int SLOW_PERIOD_MILLIS = 125;
    private static final int LEAVING_PERCENT = 10;
    private static final int NEW_PROMPT_PERCENT = 30;

    private final StreamClient client;
    private final HttpCalls http;
    private final RequestScheduler scheduler;
    private final long seed;
    private final List<Call> calls = new ArrayList<>();
    private final Queue<String> problems = new ConcurrentLinkedQueue<>();
    private final Queue<long[]> gaps = new ConcurrentLinkedQueue<>();
    private final AtomicInteger complete = new AtomicInteger();
    private final AtomicInteger left = new AtomicInteger();
    private volatile long slowBytes;
    private volatile boolean ending;

    private record Call(String path, String body, String expected) {}

    /** What a run came to; times in milliseconds. */
    record Figures(int complete, int left, long slowBytes, double median, double p99, double longest) {}

    LoadRun(int port, HttpCalls http, RequestScheduler scheduler, long seed) {
        this.client = new StreamClient(port);
        this.http = http;
        this.scheduler = scheduler;
        this.seed = seed;
    }

    /** Has every prompt answered alone, then together for a while, and holds the server to its promises. */
    Figures run(int prompts, int clients, Duration duration) throws Exception {
        learn(prompts);
        await().atMost(PATIENCE).until(() -> http.json("/actuator/checkpoints").path("sequences").intValue() == 0);
        JsonNode before = http.json("/actuator/scheduler");
        long deadline = System.nanoTime() + duration.toNanos();
        List<Thread> threads = new ArrayList<>();
        Thread slow = Thread.ofVirtual().start(() -> readSlowly(deadline));
        Thread watcher = Thread.ofVirtual().start(this::watchOrder);
        for (int i = 0; i < clients; i++) {
            int number = i;
            threads.add(Thread.ofVirtual().start(() -> visit(number, deadline)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        slow.join();
        ending = true;
        watcher.join();

        assertThat(problems).as("seed " + seed).isEmpty();
        await().atMost(PATIENCE).until(() -> http.json("/actuator/scheduler").path("active").intValue() == 0);
        assertNothingIsLeft(before);
        return figures();
    }

    private void learn(int prompts) throws IOException {
        RandomGenerator random = random(-1);
        for (int i = 0; i < prompts; i++) {
            Call asked = switch (i % 4) {
                case 0 -> chat("What is " + (100 + i) + " + " + (200 + i) + "?", 12);
                case 1 -> chat("Tell me a story about a fox and " + (i + 2) + " golden keys.", 30 + random.nextInt(30));
                case 2 -> tokens(random, 20 + random.nextInt(100), 16);
                default -> tokens(random, 300 + random.nextInt(900), 8);
            };
            calls.add(new Call(asked.path(), asked.body(), client.read(asked.path(), asked.body(), (_, _) -> {
            })));
        }
    }

    private static Call chat(String question, int maxTokens) {
        return new Call("/v1/chat/completions", "{\"messages\":[{\"role\":\"user\",\"content\":\"" + question + "\"}],\"temperature\":0,"
                + "\"max_tokens\":" + maxTokens + ",\"stream\":true}", "");
    }

    private static Call tokens(RandomGenerator random, int length, int maxTokens) {
        StringBuilder prompt = new StringBuilder();
        for (int i = 0; i < length; i++) {
            prompt.append(i == 0 ? "" : ",").append(300 + random.nextInt(6000));
        }
        return new Call("/v1/completions",
                "{\"prompt\":[" + prompt + "],\"temperature\":0,\"max_tokens\":" + maxTokens + ",\"stream\":true}",
                "");
    }

    private void visit(int number, long deadline) {
        RandomGenerator random = random(number);
        while (System.nanoTime() < deadline && problems.isEmpty()) {
            boolean isNew = random.nextInt(100) < NEW_PROMPT_PERCENT;
            Call call = isNew ? tokens(random, 20 + random.nextInt(600), 16) : calls.get(random.nextInt(calls.size()));
            try {
                if (random.nextInt(100) < LEAVING_PERCENT) {
                    client.leaveAfter(call.path(), call.body(), random.nextInt(3000));
                    left.incrementAndGet();
                } else {
                    String text = client.read(call.path(), call.body(), new Gaps());
                    complete.incrementAndGet();
                    if (!isNew && !text.equals(call.expected())) {
                        problems.add("Client " + number + " got '" + text + "' instead of '" + call.expected() + "'");
                    }
                }
            } catch (IOException e) {
                problems.add("Client " + number + ": " + e);
            }
        }
    }

    /** Time between two pieces of text of one answer. */
    private final class Gaps implements StreamClient.Listener {

        private long last;

        @Override
        public void text(String text, long nanoTime) {
            if (last != 0) {
                gaps.add(new long[] {nanoTime - last});
            }
            last = nanoTime;
        }
    }

    private void readSlowly(long deadline) {
        Call call = chat("Tell me a very long story about a river.", 2000);
        String endless = call.body().replace("\"max_tokens\"", "\"logit_bias\":{\"8191\":-100,\"8189\":-100},\"max_tokens\"");
        while (goesOn(deadline)) {
            try (Socket socket = client.open(call.path(), endless, 1024)) {
                InputStream in = socket.getInputStream();
                byte[] bytes = new byte[SLOW_BYTES];
                for (int read = in.read(bytes); read >= 0 && goesOn(deadline); read = in.read(bytes)) {
                    slowBytes = slowBytes + read;
                    LockSupport.parkNanos(SLOW_PERIOD_MILLIS * 1_000_000L);
                }
            } catch (IOException e) {
                problems.add("The slow client: " + e);
                return;
            }
        }
    }

    private boolean goesOn(long deadline) {
        return System.nanoTime() < deadline || slowBytes < SLOW_BYTES && problems.isEmpty();
    }

    /** Nobody starts while somebody of the same class who came before still waits: the list is of one moment. */
    private void watchOrder() {
        List<String> waiting = List.of();
        while (!ending) {
            List<RequestInfo> now = scheduler.requests();
            Map<String, State> states = new HashMap<>();
            now.forEach(request -> states.put(request.id(), request.state()));
            Set<String> passed = new HashSet<>();
            for (String id : waiting) {
                State state = states.get(id);
                if (state == State.QUEUED) {
                    passed.add(id);
                } else if (state != null && !passed.isEmpty()) {
                    problems.add(id + " started before " + passed);
                }
            }
            waiting = now.stream().filter(request -> request.state() == State.QUEUED).map(RequestInfo::id).toList();
            LockSupport.parkNanos(5_000_000);
        }
    }

    private void assertNothingIsLeft(JsonNode before) {
        JsonNode after = http.json("/actuator/scheduler");
        assertThat(after.path("queued").intValue()).isZero();
        assertThat(after.path("failed").longValue()).isEqualTo(before.path("failed").longValue());
        assertThat(after.path("rejected").longValue()).isEqualTo(before.path("rejected").longValue());
        assertThat(after.path("cancelled").longValue() - before.path("cancelled").longValue()).as("clients that left, and the slow one")
                .isLessThanOrEqualTo(left.get() + 1L);
        JsonNode state = http.json("/actuator/checkpoints");
        assertThat(state.path("bytes").longValue()).isZero();
        assertThat(state.path("pagesUsed").longValue()).isZero();
        assertThat(state.path("sequences").intValue()).isZero();
        assertThat(scheduler.requests()).isEmpty();
        String free = "resilience4j_bulkhead_available_concurrent_calls";
        assertThat(http.get("/actuator/prometheus").body().lines().filter(line -> line.startsWith(free)).findFirst().orElseThrow())
                .endsWith(" " + (double) (after.path("maxActive").intValue() + after.path("queueCapacity").intValue()));
        assertThat(complete.get()).isPositive();
    }

    private Figures figures() {
        long[] sorted = gaps.stream().mapToLong(gap -> gap[0]).sorted().toArray();
        return new Figures(complete.get(), left.get(), slowBytes, millis(sorted, 0.5), millis(sorted, 0.99), millis(sorted, 1));
    }

    private static double millis(long[] sorted, double share) {
        return sorted.length == 0 ? 0 : sorted[(int) Math.min(sorted.length - 1L, (long) (sorted.length * share))] / 1e6;
    }

    private RandomGenerator random(int number) {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed * 1000 + number);
    }
}
