package dev.ringside.download;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/** A web server whose next answers are scripted; the last one is given again and again. */
final class FileServer implements AutoCloseable {

    /** What one request gets. */
    interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    /** What a request asked for. */
    record Asked(String host, String path, String range, String ifRange, String authorization) {}

    final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final Deque<Answer> script = new ArrayDeque<>();
    private final Path cache;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /** @param cache where the client puts what it gets */
    FileServer(Path cache) throws IOException {
        this.cache = cache;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("localhost"), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    FileServer then(Answer... answers) {
        synchronized (script) {
            script.addAll(List.of(answers));
        }
        return this;
    }

    private void handle(HttpExchange exchange) throws IOException {
        Headers headers = exchange.getRequestHeaders();
        asked.add(new Asked(headers.getFirst("Host"), exchange.getRequestURI().toString(), headers.getFirst("Range"),
                headers.getFirst("If-Range"), headers.getFirst("Authorization")));
        Answer answer;
        synchronized (script) {
            answer = script.size() > 1 ? script.removeFirst() : script.getFirst();
        }
        try (exchange) {
            answer.to(exchange);
        }
    }

    String address(String path) {
        return "http://localhost:" + server.getAddress().getPort() + path;
    }

    /** The same server under another name, which makes it another origin. */
    String elsewhere(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    URI uri() {
        return URI.create(address("/"));
    }

    /** A well-behaved server: ranges, If-Range, validator. */
    static Answer file(byte[] content, String etag) {
        return exchange -> {
            Headers request = exchange.getRequestHeaders();
            exchange.getResponseHeaders().set("ETag", etag);
            String range = request.getFirst("Range");
            String condition = request.getFirst("If-Range");
            boolean rest = range != null && (condition == null || condition.equals(etag));
            int from = rest ? Integer.parseInt(range, 6, range.length() - 1, 10) : 0;
            if (rest) {
                exchange.getResponseHeaders().set("Content-Range", "bytes " + from + "-" + (content.length - 1) + "/" + content.length);
            }
            exchange.sendResponseHeaders(rest ? 206 : 200, content.length - from);
            exchange.getResponseBody().write(content, from, content.length - from);
        };
    }

    /** Announces everything, sends so many bytes of it, and closes the connection when they lie in the cache. */
    Answer cut(byte[] content, String etag, int sent) {
        return exchange -> {
            String range = exchange.getRequestHeaders().getFirst("Range");
            int from = range == null ? 0 : Integer.parseInt(range, 6, range.length() - 1, 10);
            exchange.getResponseHeaders().set("ETag", etag);
            if (range != null) {
                exchange.getResponseHeaders().set("Content-Range", "bytes " + from + "-" + (content.length - 1) + "/" + content.length);
            }
            exchange.sendResponseHeaders(range == null ? 200 : 206, content.length - from);
            exchange.getResponseBody().write(content, from, Math.min(sent, content.length - from));
            exchange.getResponseBody().flush();
            // A client that hears of the end may drop what it has not read yet.
            while (from + sent < content.length && arrived() < from + sent) {
                Thread.onSpinWait();
            }
        };
    }

    private long arrived() throws IOException {
        try (Stream<Path> files = Files.walk(cache)) {
            Path part = files.filter(file -> file.toString().endsWith(".part")).findFirst().orElse(null);
            return part == null ? 0 : Files.size(part);
        }
    }

    /** Sends all of it, whatever was asked for, and gives no validator. */
    static Answer everything(byte[] content) {
        return exchange -> {
            exchange.sendResponseHeaders(200, content.length);
            exchange.getResponseBody().write(content);
        };
    }

    static Answer status(int status, String... headers) {
        return exchange -> {
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
            }
            exchange.sendResponseHeaders(status, -1);
        };
    }

    static Answer redirect(String location, String... headers) {
        return exchange -> {
            exchange.getResponseHeaders().set("Location", location);
            status(302, headers).to(exchange);
        };
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
