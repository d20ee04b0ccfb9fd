package dev.ringside.api;

import dev.ringside.chat.AssistantFormat;
import dev.ringside.chat.ChatTemplate;
import dev.ringside.gguf.GgufFile;
import dev.ringside.tokenizer.TokenStreamDecoder;
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
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.result.method.RequestMappingInfo;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
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
    final ListedRequests requests = new ListedRequests();

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final DisposableServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    @EnableWebFlux
    static class Web {}

    /** ChatML with tools and a switch for thinking. */
    static final String THINKING_TEMPLATE = """
        {%- if tools -%}{{- '<|im_start|>system\\nTools: ' ~ (tools | tojson) ~ ' <tool_call>{}</tool_call><|im_end|>\\n' -}}{%- endif -%}
        {%- for message in messages -%}
        {{- '<|im_start|>' ~ message.role ~ '\\n' -}}
        {%- if message.reasoning_content -%}{{- '<think>' ~ message.reasoning_content ~ '</think>' -}}{%- endif -%}
        {{- message.content -}}
        {%- for call in message.tool_calls or [] -%}
        {{- '<tool_call>' ~ (call.function | tojson) ~ '</tool_call>' -}}
        {%- endfor -%}
        {{- '<|im_end|>\\n' -}}
        {%- endfor -%}
        {%- if add_generation_prompt -%}
        {{- '<|im_start|>assistant\\n' -}}
        {%- if enable_thinking is defined and enable_thinking is false -%}{{- '<think>\\n\\n</think>\\n\\n' -}}{%- endif -%}
        {%- endif -%}
        """;

    private final Tokenizer tokenizer;

    private ApiServer(ApiSettings settings, @Nullable String templateSource) {
        try (GgufFile file = GgufFile.open(Path.of("src/main/resources/models/ringside-demo.gguf"))) {
            tokenizer = Tokenizer.from(file.metadata());
            ChatTemplate template = ChatTemplate.forModel(
                    templateSource == null ? file.metadata().getString("tokenizer.chat_template") : templateSource, tokenizer);
            context.registerBean(Tokenizer.class, () -> tokenizer);
            context.registerBean(ChatTemplate.class, () -> template);
            context.registerBean(AssistantFormat.class, () -> AssistantFormat.detect(template.source()));
        }
        context.registerBean(ApiSettings.class, () -> settings);
        context.registerBean(Generator.class, () -> generator);
        context.registerBean(ActiveRequests.class, () -> requests);
        context.register(Web.class, ApiConfiguration.class, ApiErrorHandler.class, ApiKeyFilter.class, CorsFilter.class,
                RequestIdFilter.class,
                ChatCompletionController.class, CompletionController.class, ModelsController.class, TokenizeController.class,
                EmbeddingsController.class, HealthController.class, RequestsController.class, DialectConfiguration.class,
                ResponsesController.class, MessagesController.class, OpenApiController.class);
        context.refresh();
        server = HttpServer.create().port(0)
                .handle(new ReactorHttpHandlerAdapter(WebHttpHandlerBuilder.applicationContext(context).build())).bindNow();
    }

    static ApiServer start() {
        return start(UnaryOperator.identity());
    }

    static ApiServer start(UnaryOperator<ApiSettings> change) {
        return start(change, null);
    }

    /** @param template in place of the demo model's own */
    static ApiServer start(UnaryOperator<ApiSettings> change, @Nullable String template) {
        return new ApiServer(change.apply(new ApiSettings(MODEL, Instant.ofEpochSecond(1_700_000_000), CONTEXT, VOCABULARY,
                new SamplingDefaults(0.3f, 0.9f, 20, 0, 1), List.of(), List.of("/actuator/health/**"), 1 << 20, Duration.ofSeconds(5),
                Duration.ZERO,
                "fp_test", CorsSettings.off(), new ResponseStoreSettings(1 << 20, Duration.ofHours(1)))), template);
    }

    static ApiSettings withComments(ApiSettings base, Duration interval) {
        return new ApiSettings(base.modelId(), base.modelCreated(), base.contextLength(), base.vocabularySize(), base.sampling(),
                base.keys(),
                base.openPaths(), base.maxBodyBytes(), base.bodyTimeout(), interval, base.fingerprint(), base.cors(), base.responses());
    }

    static ApiSettings withKeys(ApiSettings base, String... keys) {
        return withKeys(base, ApiKey.parseAll(List.of(keys)));
    }

    static ApiSettings withKeys(ApiSettings base, List<ApiKey> keys) {
        return new ApiSettings(base.modelId(), base.modelCreated(), base.contextLength(), base.vocabularySize(), base.sampling(),
                keys,
                base.openPaths(), base.maxBodyBytes(), base.bodyTimeout(), base.commentInterval(), base.fingerprint(), base.cors(),
                base.responses());
    }

    static ApiSettings withCors(ApiSettings base, String... origins) {
        return new ApiSettings(base.modelId(), base.modelCreated(), base.contextLength(), base.vocabularySize(), base.sampling(),
                base.keys(),
                base.openPaths(), base.maxBodyBytes(), base.bodyTimeout(), base.commentInterval(), base.fingerprint(),
                new CorsSettings(List.of(origins), Duration.ofMinutes(1)), base.responses());
    }

    static ApiSettings withResponses(ApiSettings base, ResponseStoreSettings responses) {
        return new ApiSettings(base.modelId(), base.modelCreated(), base.contextLength(), base.vocabularySize(), base.sampling(),
                base.keys(),
                base.openPaths(), base.maxBodyBytes(), base.bodyTimeout(), base.commentInterval(), base.fingerprint(), base.cors(),
                responses);
    }

    /** The prompt that the engine was last asked to continue, control tokens spelt out. */
    String lastPrompt() {
        TokenStreamDecoder decoder = new TokenStreamDecoder(tokenizer, true);
        StringBuilder text = new StringBuilder();
        for (int id : generator.lastRequest().prompt()) {
            text.append(decoder.append(id));
        }
        return text.append(decoder.flush()).toString();
    }

    /** How often a token occurs in a prompt. */
    long count(int[] prompt, String token) {
        int id = token(token);
        return Arrays.stream(prompt).filter(each -> each == id).count();
    }

    int token(String text) {
        return tokenizer.idOf(text).orElseThrow();
    }

    String piece(int token) {
        return tokenizer.piece(token);
    }

    Tokenizer tokenizer() {
        return tokenizer;
    }

    /** What the controllers are mapped to. */
    Set<RequestMappingInfo> mappings() {
        return context.getBean(RequestMappingHandlerMapping.class).getHandlerMethods().keySet();
    }

    /** Class names of the controllers. */
    List<String> controllers() {
        return context.getBean(RequestMappingHandlerMapping.class).getHandlerMethods().values().stream()
                .map(method -> method.getBeanType().getName()).distinct().toList();
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
