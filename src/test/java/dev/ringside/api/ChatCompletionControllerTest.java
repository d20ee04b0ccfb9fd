package dev.ringside.api;

import static dev.ringside.api.ApiServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationException;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.gguf.GgufFile;
import dev.ringside.tokenizer.Tokenizer;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ChatCompletionControllerTest {

    private static final String HI = "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";

    private ApiServer server;

    @BeforeEach
    void start() {
        server = ApiServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aWholeAnswerHasTheShapeOfOpenAi() {
        HttpResponse<String> response = server.chat("{" + HI + "}");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type")).hasValue("application/json");
        JsonNode body = json(response);
        assertThat(body.path("id").stringValue()).startsWith("chatcmpl-");
        assertThat(body.path("object").stringValue()).isEqualTo("chat.completion");
        assertThat(body.path("model").stringValue()).isEqualTo("ringside-demo");
        assertThat(body.path("created").longValue()).isGreaterThan(1_700_000_000L);
        assertThat(body.path("choices").toString())
                .isEqualTo("[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hello world\","
                        + "\"refusal\":null},\"logprobs\":null,\"finish_reason\":\"stop\"}]");
        int prompt = server.generator.lastRequest().prompt().length;
        assertThat(body.path("usage").toString()).isEqualTo("{\"prompt_tokens\":" + prompt + ",\"completion_tokens\":2,\"total_tokens\":"
                + (prompt + 2) + ",\"prompt_tokens_details\":{\"cached_tokens\":0}}");
        assertThat(body.path("timings").path("predicted_per_second").doubleValue()).isEqualTo(250.0);
    }

    @Test
    void aStreamIsRoleThenTextThenFinishThenDone() {
        HttpResponse<String> response = server.chat("{" + HI + ",\"stream\":true}");

        assertThat(response.headers().firstValue("content-type").orElseThrow()).startsWith("text/event-stream");
        assertThat(response.headers().firstValue("cache-control")).hasValue("no-cache");
        assertThat(response.headers().firstValue("x-accel-buffering")).hasValue("no");
        List<String> events = List.of(response.body().split("\n\n"));
        assertThat(events).hasSize(5).allSatisfy(event -> assertThat(event).startsWith("data: "));
        assertThat(choice(events.get(0)))
                .isEqualTo("{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}");
        assertThat(choice(events.get(1)))
                .isEqualTo("{\"index\":0,\"delta\":{\"content\":\"Hello\"},\"logprobs\":null,\"finish_reason\":null}");
        assertThat(choice(events.get(3))).isEqualTo("{\"index\":0,\"delta\":{},\"logprobs\":null,\"finish_reason\":\"stop\"}");
        assertThat(events.get(4)).isEqualTo("data: [DONE]");
        assertThat(events.subList(0, 4).stream().map(event -> chunk(event).path("id").stringValue()).distinct()).hasSize(1);
        assertThat(events.subList(0, 4)).noneSatisfy(event -> assertThat(event).contains("usage"));
    }

    @Test
    void usageComesInAChunkOfItsOwnWhenAskedFor() {
        List<String> events = List
                .of(server.chat("{" + HI + ",\"stream\":true,\"stream_options\":{\"include_usage\":true}}").body().split("\n\n"));

        assertThat(events).hasSize(6);
        assertThat(events.subList(0, 4)).allSatisfy(event -> assertThat(event).contains("\"usage\":null"));
        assertThat(chunk(events.get(4)).path("choices").toString()).isEqualTo("[]");
        assertThat(chunk(events.get(4)).path("usage").path("completion_tokens").intValue()).isEqualTo(2);
        assertThat(events.get(5)).isEqualTo("data: [DONE]");
    }

    @Test
    void theConversationIsRenderedWithTheModelsTemplate() {
        server.chat("""
            {"messages":[{"role":"developer","content":[{"type":"text","text":"Be "},{"type":"text","text":"short."}]},
            {"role":"user","content":"Say <|im_end|>"}]}""");

        try (GgufFile file = GgufFile.open(Path.of("src/main/resources/models/ringside-demo.gguf"))) {
            Tokenizer tokenizer = Tokenizer.from(file.metadata());
            List<String> pieces = new ArrayList<>();
            for (int id : server.generator.lastRequest().prompt()) {
                pieces.add(tokenizer.piece(id));
            }
            assertThat(String.join("", pieces)).isEqualTo(
                    "<|im_start|>system\nBe short.<|im_end|>\n<|im_start|>user\nSay <|im_end|><|im_end|>\n<|im_start|>assistant\n");
            assertThat(pieces).filteredOn("<|im_end|>"::equals).as("the user's own spelling is text").hasSize(2);
        }
    }

    @Test
    void parametersReachTheEngine() {
        server.chat("{" + HI + """
            ,"temperature":0,"top_p":0.5,"top_k":7,"min_p":0.1,"presence_penalty":1,"frequency_penalty":-1,"seed":42,
            "logit_bias":{"17":-100,"8191":3.5},"max_completion_tokens":9,"stop":["a","beta gamma"],"user":"u","unknown_field":{"x":1}}""");

        GenerationRequest request = server.generator.lastRequest();
        assertThat(request.maxTokens()).isEqualTo(9);
        assertThat(request.stop()).containsExactly("a", "beta gamma");
        assertThat(request.sampling().temperature()).isZero();
        assertThat(request.sampling().topP()).isEqualTo(0.5f);
        assertThat(request.sampling().topK()).isEqualTo(7);
        assertThat(request.sampling().minP()).isEqualTo(0.1f);
        assertThat(request.sampling().presencePenalty()).isEqualTo(1f);
        assertThat(request.sampling().frequencyPenalty()).isEqualTo(-1f);
        assertThat(request.sampling().seed()).isEqualTo(42);
        assertThat(request.sampling().logitBias()).containsEntry(17, -100f).containsEntry(8191, 3.5f).hasSize(2);
    }

    @Test
    void withoutParametersTheModelsOwnAreTaken() {
        server.chat("{" + HI + ",\"temperature\":null}");

        GenerationRequest request = server.generator.lastRequest();
        assertThat(request.sampling().temperature()).isEqualTo(0.3f);
        assertThat(request.sampling().topP()).isEqualTo(0.9f);
        assertThat(request.sampling().topK()).isEqualTo(20);
        assertThat(request.maxTokens()).isEqualTo(ApiServer.CONTEXT - request.prompt().length);
    }

    @Test
    void aFailureBeforeTheFirstByteHasARealStatus() {
        server.generator.script = _ -> Flux
                .error(new GenerationException(GenerationException.Kind.EXPERT_IO, "expert 3 of layer 1 is unreadable"));

        HttpResponse<String> response = server.chat("{" + HI + ",\"stream\":true}");

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("retry-after")).hasValue("1");
        assertThat(response.headers().firstValue("content-type")).hasValue("application/json");
        assertThat(ApiServer.error(response).path("message").stringValue()).contains("expert 3 of layer 1");
    }

    @Test
    void aFailureInMidStreamIsOneErrorEventWithoutDone() {
        server.generator.script = _ -> Flux.<GenerationEvent>just(new GenerationEvent.TextDelta("Hel", 1))
                .concatWith(Flux.error(new GenerationException(GenerationException.Kind.EXPERT_IO, "expert unreadable")));

        HttpResponse<String> response = server.chat("{" + HI + ",\"stream\":true}");

        assertThat(response.statusCode()).isEqualTo(200);
        List<String> events = List.of(response.body().split("\n\n"));
        assertThat(events.getLast()).startsWith("data: {\"error\":{\"message\":\"expert unreadable\"");
        assertThat(response.body()).doesNotContain("[DONE]");
    }

    @Test
    void aClientThatLeavesCancelsItsStream() throws Exception {
        server.generator.script = _ -> Flux.<GenerationEvent>just(new GenerationEvent.TextDelta("on", 1)).concatWith(Flux.never());

        try (Socket socket = open("{" + HI + ",\"stream\":true}")) {
            InputStream in = socket.getInputStream();
            StringBuilder seen = new StringBuilder();
            while (seen.indexOf("\"content\":\"on\"") < 0) {
                seen.append((char) in.read());
            }
        }

        await().atMost(Duration.ofSeconds(5)).until(() -> server.generator.cancelled.get() == 1);
    }

    @Test
    void aClientThatLeavesCancelsAnAnswerInOnePieceToo() throws Exception {
        server.generator.script = _ -> Flux.never();

        try (Socket _ = open("{" + HI + "}")) {
            await().atMost(Duration.ofSeconds(5)).until(() -> server.generator.requests.size() == 1);
        }

        await().atMost(Duration.ofSeconds(5)).until(() -> server.generator.cancelled.get() == 1);
    }

    @Test
    void thePathWithoutVersionWorksToo() {
        assertThat(server.post("/chat/completions", "{" + HI + "}").statusCode()).isEqualTo(200);
    }

    private Socket open(String body) throws Exception {
        Socket socket = new Socket("localhost", server.port());
        socket.getOutputStream()
                .write(("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static JsonNode chunk(String event) {
        return JsonMapper.shared().readTree(event.substring("data: ".length()));
    }

    private static String choice(String event) {
        JsonNode chunk = chunk(event);
        assertThat(chunk.path("object").stringValue()).isEqualTo("chat.completion.chunk");
        return chunk.path("choices").get(0).toString();
    }
}
