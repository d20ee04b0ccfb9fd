package dev.ringside.config;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.ringside.download.DownloadProgress;
import dev.ringside.model.LoadProgress;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.PortInUseException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers on the server's ports while a model is downloaded and loaded, which may take hours: alive, not ready, and how far it is. Opens for
 * downloads and for loads that take longer than a moment; other models load behind a closed port (docs/adr/0003). Gives the ports to the web server
 * right before that starts.
 */
final class WaitingRoom implements FinalLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(WaitingRoom.class);
    private static final int RETRY_SECONDS = 10;

    /** Nanoseconds of loading behind a closed port. */
    static final long PATIENCE_NANOS = 3_000_000_000L;

    private final Doors doors;
    private final LongSupplier clock;
    private final List<HttpServer> servers = new ArrayList<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private volatile StartNotice notice = StartNotice.STARTING;
    private boolean opened;
    private boolean loads;
    private long loadsSince;
    private volatile boolean running;

    /**
     * Where people knock.
     *
     * @param addresses ports of the server, the one of the API in front
     * @param health path of the health endpoint
     */
    record Doors(List<InetSocketAddress> addresses, String health) {}

    /** @param clock nanoseconds, from any origin */
    WaitingRoom(Doors doors, LongSupplier clock) {
        this.doors = doors;
        this.clock = clock;
    }

    /**
     * Hears how far the download is; opens the doors the first time.
     *
     * @throws PortInUseException rather than after hours of downloading
     */
    void show(DownloadProgress now) {
        notice = StartNotice.of(now);
        open();
    }

    /**
     * Hears how far the loading is; opens the doors when it has taken a while.
     *
     * @throws PortInUseException when something else listens there
     */
    void show(LoadProgress now) {
        notice = StartNotice.of(now);
        if (!loads) {
            loads = true;
            loadsSince = clock.getAsLong();
        } else if (clock.getAsLong() - loadsSince >= PATIENCE_NANOS) {
            open();
        }
    }

    private void open() {
        if (!opened) {
            opened = true;
            doors.addresses().forEach(this::open);
        }
    }

    /** Where it listens. */
    List<InetSocketAddress> addresses() {
        return servers.stream().map(HttpServer::getAddress).toList();
    }

    private void open(InetSocketAddress address) {
        try {
            HttpServer server = HttpServer.create(address, 0);
            server.setExecutor(threads);
            server.createContext("/", this::answer);
            server.start();
            servers.add(server);
            LOG.info("Port {} answers 503 with the progress until the model is loaded", address.getPort());
        } catch (BindException e) {
            throw new PortInUseException(address.getPort(), e);
        } catch (IOException e) {
            LOG.warn("Nothing answers on port {} until the model is loaded: {}", address.getPort(), e.toString());
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            StartNotice now = notice;
            if (path.equals(doors.health() + "/liveness")) {
                send(exchange, 200, Map.of("status", "UP"));
            } else if (path.equals(doors.health()) || path.startsWith(doors.health() + "/")) {
                send(exchange, 503, Map.of("status", "OUT_OF_SERVICE", "components",
                        Map.of("model", Map.of("status", "OUT_OF_SERVICE", "details", now.details()))));
            } else if (path.equals("/")) {
                send(exchange, 503, "text/html; charset=utf-8", now.page());
            } else {
                send(exchange, 503, Map.of("error", error("The model is not here yet: " + now.text())));
            }
        }
    }

    private static Map<String, @Nullable Object> error(String message) {
        Map<String, @Nullable Object> error = new LinkedHashMap<>();
        error.put("message", message);
        error.put("type", "unavailable_error");
        error.put("param", null);
        error.put("code", "model_loading");
        return error;
    }

    private static void send(HttpExchange exchange, int status, Map<String, Object> body) throws IOException {
        send(exchange, status, "application/json", JsonMapper.shared().writeValueAsString(body));
    }

    private static void send(HttpExchange exchange, int status, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set("Connection", "close");
        if (status == 503) {
            exchange.getResponseHeaders().set("Retry-After", Integer.toString(RETRY_SECONDS));
        }
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** The web server comes next. */
    @Override
    public void start() {
        running = true;
        close();
    }

    /** Closes the doors; also when the start fails. */
    void close() {
        servers.forEach(server -> server.stop(0));
        servers.clear();
        threads.shutdown();
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Behind the engine, and in front of the web server. */
    @Override
    public int getPhase() {
        return 1;
    }
}
