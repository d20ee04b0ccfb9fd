package dev.ringside.api;

import static dev.ringside.api.ApiServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.engine.TokenLogprob;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import tools.jackson.databind.JsonNode;

class AnswerLogprobsTest {

    private static final String HI = "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";

    private static ApiServer server;

    @BeforeAll
    static void start() {
        server = ApiServer.start();
        int a = server.token("a");
        int b = server.token("b");
        server.generator.script = request -> Flux.<GenerationEvent>just(
                new GenerationEvent.TextDelta("", 1, List.of(new TokenLogprob(a, -0.5f, new int[] {a, b}, new float[] {-0.5f, -1f}))),
                new GenerationEvent.TextDelta("ab", 1,
                        List.of(new TokenLogprob(b, Float.NEGATIVE_INFINITY, new int[] {a, b}, new float[] {-0.25f, -2f}))))
                .concatWithValues(ScriptedGenerator.completed(request, 2));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void everyTokenOfAChatHasItsProbabilityAndBytes() {
        JsonNode choice = json(server.chat("{" + HI + ",\"logprobs\":true,\"top_logprobs\":2}")).path("choices").get(0);

        assertThat(server.generator.lastRequest().logprobs()).isEqualTo(2);
        JsonNode tokens = choice.path("logprobs").path("content");
        assertThat(tokens).hasSize(2);
        assertThat(tokens.get(0).toString()).isEqualTo("{\"token\":\"a\",\"logprob\":-0.5,\"bytes\":[97],\"top_logprobs\":"
                + "[{\"token\":\"a\",\"logprob\":-0.5,\"bytes\":[97]},{\"token\":\"b\",\"logprob\":-1.0,\"bytes\":[98]}]}");
        assertThat(tokens.get(1).path("logprob").doubleValue()).as("JSON has no infinity").isEqualTo(-9999);
    }

    @Test
    void probabilitiesOfAStreamComeWithTokensWhoseTextIsHeldBackToo() {
        String body = server.chat("{" + HI + ",\"logprobs\":true,\"stream\":true}").body();

        assertThat(server.generator.lastRequest().logprobs()).isZero();
        assertThat(body.split("\"bytes\":\\[9[78]\\],\"top_logprobs\"", -1)).hasSize(1 + 2);
        assertThat(body).contains("\"delta\":{\"content\":\"\"},\"logprobs\":{\"content\":[{\"token\":\"a\"");
    }

    @Test
    void withoutTheFieldThereAreNone() {
        JsonNode choice = json(server.chat("{" + HI + "}")).path("choices").get(0);

        assertThat(choice.path("logprobs").isNull()).isTrue();
        assertThat(server.generator.lastRequest().logprobs()).isEqualTo(GenerationRequest.NO_LOGPROBS);
    }

    @Test
    void textCompletionsHaveTheirOwnShape() {
        JsonNode choice = json(server.post("/v1/completions", "{\"prompt\":\"x\",\"logprobs\":2}")).path("choices").get(0);

        assertThat(choice.path("logprobs").toString()).isEqualTo("{\"tokens\":[\"a\",\"b\"],\"token_logprobs\":[-0.5,-9999.0],"
                + "\"top_logprobs\":[{\"a\":-0.5,\"b\":-1.0},{\"a\":-0.25,\"b\":-2.0}],\"text_offset\":[0,1]}");
    }

    @Test
    void anEchoStandsInFrontOfTheText() {
        assertThat(json(server.post("/v1/completions", "{\"prompt\":\"The \",\"echo\":true}")).path("choices").get(0).path("text")
                .stringValue())
                .isEqualTo("The ab");
        assertThat(server.post("/v1/completions", "{\"prompt\":[" + server.token("a") + "],\"echo\":true,\"stream\":true}").body())
                .startsWith("data: ").contains("\"text\":\"a\"").contains("\"text\":\"ab\"");
    }

    @Test
    void choicesOfSeveralPromptsFollowTheirPrompts() {
        JsonNode body = json(server.post("/v1/completions", "{\"prompt\":[\"a\",\"b b\"],\"n\":2,\"best_of\":2,\"echo\":true}"));

        assertThat(body.path("choices").valueStream().map(choice -> choice.path("text").stringValue()))
                .containsExactly("aab", "aab", "b bab", "b bab");
        assertThat(body.path("usage").path("completion_tokens").intValue()).isEqualTo(8);
        assertThat(body.path("usage").path("prompt_tokens").intValue()).as("each prompt once").isLessThan(8);
    }
}
