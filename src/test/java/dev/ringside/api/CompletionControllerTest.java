package dev.ringside.api;

import static dev.ringside.api.ApiServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.GenerationRequest;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CompletionControllerTest {

    private static ApiServer server;

    @BeforeAll
    static void start() {
        server = ApiServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void textIsContinuedAsItStands() {
        JsonNode body = json(server.post("/v1/completions", "{\"prompt\":\"Once upon a time there\",\"max_tokens\":4}"));

        assertThat(body.path("object").stringValue()).isEqualTo("text_completion");
        assertThat(body.path("id").stringValue()).startsWith("cmpl-");
        assertThat(body.path("choices").toString())
                .isEqualTo("[{\"text\":\"Hello world\",\"index\":0,\"logprobs\":null,\"finish_reason\":\"stop\"}]");
        assertThat(server.generator.lastRequest().prompt()).startsWith(1146, 847, 256, 609);
    }

    @Test
    void specialTokensInAPromptAreTheTokens() {
        server.post("/v1/completions", "{\"prompt\":\"<|im_start|>\"}");

        assertThat(server.generator.lastRequest().prompt()).containsExactly(8190);
    }

    @Test
    void noControlTokenIsShownAsAMark() {
        server.post("/v1/completions", "{\"prompt\":\"Once\"}");

        assertThat(server.generator.lastRequest().markers()).isEmpty();
    }

    @Test
    void tokenIdsAreTakenAsTheyAre() {
        server.post("/v1/completions", "{\"prompt\":[1,2,3]}");

        assertThat(server.generator.lastRequest().prompt()).containsExactly(1, 2, 3);
    }

    @Test
    void severalPromptsGiveChoicesInTheirOrder() {
        server.generator.script = request -> ScriptedGenerator.answer(request, "len " + request.prompt().length);

        JsonNode body = json(server.post("/v1/completions", "{\"prompt\":[[1],[1,2],\"Once upon a\"]}"));

        assertThat(
                body.path("choices").valueStream().map(choice -> choice.path("index").intValue() + " " + choice.path("text").stringValue()))
                .containsExactly("0 len 1", "1 len 2", "2 len 3");
        assertThat(body.path("usage").path("prompt_tokens").intValue()).isEqualTo(6);
        assertThat(server.generator.requests.stream().map(GenerationRequest::id).distinct()).hasSameSizeAs(server.generator.requests);
    }

    @Test
    void aStreamHasChunksOfEveryChoiceAndOneDone() {
        server.generator.script = request -> ScriptedGenerator.answer(request, "a", "b");

        String body = server.post("/completions", "{\"prompt\":[\"x\",\"y\"],\"stream\":true,\"stream_options\":{\"include_usage\":true}}")
                .body();

        List<String> events = List.of(body.split("\n\n"));
        assertThat(events).hasSize(8).allSatisfy(event -> assertThat(event).startsWith("data: ")).endsWith("data: [DONE]");
        JsonNode usage = JsonMapper.shared().readTree(events.get(6).substring(6));
        assertThat(usage.path("choices").isEmpty()).isTrue();
        assertThat(usage.path("usage").path("completion_tokens").intValue()).isEqualTo(4);
    }
}
