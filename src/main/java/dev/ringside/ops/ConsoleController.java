package dev.ringside.ops;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/** {@code GET /console/feed}: figures for the console, as server-sent events. Reads published snapshots; the engine knows nothing of it. */
@RestController
@ConditionalOnProperty(name = "ringside.console.enabled", matchIfMissing = true)
final class ConsoleController {

    static final Duration INTERVAL = Duration.ofMillis(500);
    static final int MOST_WATCHERS = 32;

    private static final byte[] BEFORE = "data: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] AFTER = "\n\n".getBytes(StandardCharsets.US_ASCII);

    private final EngineViews views;
    private final ExpertMapView experts;
    private final JsonMapper json = JsonMapper.builder().build();
    private final Duration interval;
    private final AtomicInteger watchers = new AtomicInteger();

    @Autowired
    ConsoleController(EngineViews views, ExpertMapView experts) {
        this(views, experts, INTERVAL);
    }

    ConsoleController(EngineViews views, ExpertMapView experts, Duration interval) {
        this.views = views;
        this.experts = experts;
        this.interval = interval;
    }

    @GetMapping(path = "/console/feed")
    Mono<Void> feed(ServerHttpResponse response) {
        if (watchers.incrementAndGet() > MOST_WATCHERS) {
            watchers.decrementAndGet();
            response.setStatusCode(HttpStatus.TOO_MANY_REQUESTS);
            response.getHeaders().set(HttpHeaders.RETRY_AFTER, "30");
            return response.setComplete();
        }
        response.getHeaders().setContentType(MediaType.TEXT_EVENT_STREAM);
        response.getHeaders().setCacheControl(CacheControl.noStore());
        return response.writeAndFlushWith(frames().map(frame -> Mono.fromSupplier(() -> response.bufferFactory().wrap(event(frame)))))
                .doFinally(_ -> watchers.decrementAndGet());
    }

    /** A slow watcher misses frames rather than being sent old ones. */
    private Flux<ConsoleFrame> frames() {
        return Flux.defer(() -> {
            HeatMap heat = new HeatMap();
            ConsoleFrame hello = ConsoleFrame.hello(views, experts.get(), interval.toMillis());
            Flux<ConsoleFrame> ticks = Flux.interval(Duration.ZERO, interval)
                    .onBackpressureDrop()
                    .concatMap(_ -> Mono.fromSupplier(() -> ConsoleFrame.tick(views, heat.next(experts.get()), System.currentTimeMillis())),
                            1);
            return Flux.concat(Mono.just(hello), ticks);
        });
    }

    private byte[] event(ConsoleFrame frame) {
        byte[] body = json.writeValueAsBytes(frame);
        ByteArrayOutputStream event = new ByteArrayOutputStream(BEFORE.length + body.length + AFTER.length);
        event.writeBytes(BEFORE);
        event.writeBytes(body);
        event.writeBytes(AFTER);
        return event.toByteArray();
    }
}
