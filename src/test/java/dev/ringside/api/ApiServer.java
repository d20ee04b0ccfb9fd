package dev.ringside.api;

import dev.ringside.chat.ChatTemplate;
import dev.ringside.gguf.GgufFile;
import dev.ringside.tokenizer.Tokenizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The HTTP interface on a real port, with the demo model's tokenizer and template and a scripted engine. */
final class ApiServer implements AutoCloseable {

    static final String MODEL = "ringside-demo";
    static final int CONTEXT = 4096;
    static final int VOCABULARY = 8192;

    final ScriptedGenerator generator = new ScriptedGenerator();

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final DisposableServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    @EnableWebFlux
    static class Web {}

    private ApiServer(ApiSettings settings) {
        try (GgufFile file = GgufFile.open(Path.of("src/main/resources/models/ringside-demo.gguf"))) {
            Tokenizer tokenizer = Tokenizer.from(file.metadata());
            ChatTemplate template = ChatTemplate.forModel(file.metadata().getString("tokenizer.chat_template"), tokenizer);
            context.registerBean(Tokenizer.class, () -> tokenizer);
            context.registerBean(ChatTemplate.class, () -> template);
        }
        context.registerBean(ApiSettings.class, () -> settings);
        context.registerBean(Generator.class, () -> generator);
        context.register(Web.class, ApiConfiguration.class, ApiErrorHandler.class, ApiKeyFilter.class, RequestIdFilter.class,
                ChatCompletionController.class, CompletionController.class, ModelsController.class);
        context.refresh();
        server = HttpServer.create().port(0)
                .handle(new ReactorHttpHandlerAdapter(WebHttpHandlerBuilder.applicationContext(context).build())).bindNow();
    }

    static ApiServer start() {
        return start(UnaryOperator.identity());
    }

    static ApiServer start(UnaryOperator<ApiSettings> change) {
        return new ApiServer(change.apply(new ApiSettings(MODEL, Instant.ofEpochSecond(1_700_000_000), CONTEXT, VOCABULARY,
                new SamplingDefaults(0.3f, 0.9f, 20, 0, 1), List.of(), List.of("/actuator/health/**"), 1 << 20, Duration.ofSeconds(5),
                Duration.ZERO,
                "fp_test")));
    }

    static ApiSettings withComments(ApiSettings base, Duration interval) {
        return new ApiSettings(base.modelId(), base.modelCreated(), base.contextLength(), base.vocabularySize(), base.sampling(),
                base.keys(),
                base.openPaths(), base.maxBodyBytes(), base.bodyTimeout(), interval, base.fingerprint());
    }

    static ApiSettings withKeys(ApiSettings base, String... keys) {
        return new ApiSettings(base.modelId(), base.modelCreated(), base.contextLength(), base.vocabularySize(), base.sampling(),
                List.of(keys),
                base.openPaths(), base.maxBodyBytes(), base.bodyTimeout(), base.commentInterval(), base.fingerprint());
    }

    int port() {
        return server.port();
    }

    HttpResponse<String> chat(String body) {
        return post("/v1/chat/completions", body);
    }

    HttpResponse<String> post(String path, String body) {
        return send(HttpRequest.newBuilder(uri(path)).header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    HttpResponse<String> get(String path) {
        return send(HttpRequest.newBuilder(uri(path)).GET());
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.timeout(Duration.ofSeconds(20)).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    URI uri(String path) {
        return URI.create("http://localhost:" + port() + path);
    }

    HttpClient client() {
        return client;
    }

    static JsonNode json(HttpResponse<String> response) {
        return JsonMapper.shared().readTree(response.body());
    }

    static JsonNode error(HttpResponse<String> response) {
        return json(response).path("error");
    }

    @Override
    public void close() {
        client.shutdownNow();
        server.disposeNow(Duration.ofSeconds(5));
        context.close();
    }
}
