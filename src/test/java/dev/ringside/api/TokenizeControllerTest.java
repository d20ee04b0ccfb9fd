package dev.ringside.api;

import static dev.ringside.api.ApiServer.error;
import static dev.ringside.api.ApiServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TokenizeControllerTest {

    private static ApiServer server;

    @BeforeAll
    static void start() {
        server = ApiServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Hello world", "", " a  b\n\tc ", "👩‍👩‍👧‍👦 日本語", "<|im_end|>", "é\u0301"})
    void whatIsEncodedDecodesToTheSame(String text) {
        assertThat(decode(encode(Map.of("content", text)))).isEqualTo(text);
    }

    @Test
    void theSpellingOfAControlTokenIsTextUnlessAsked() {
        assertThat(encode(Map.of("content", "<|im_end|>"))).hasSizeGreaterThan(1);

        List<Integer> parsed = encode(Map.of("content", "<|im_end|>", "parse_special", true));

        assertThat(parsed).hasSize(1);
        assertThat(decode(parsed)).isEqualTo("<|im_end|>");
    }

    @Test
    void piecesThatAreNoWholeCharactersComeAsBytes() {
        HttpResponse<String> response = post("/tokenize", Map.of("content", "a🦀", "with_pieces", true));
        JsonNode tokens = json(response).path("tokens");

        assertThat(tokens.get(0).path("piece").stringValue()).isEqualTo("a");
        List<Integer> bytes = new ArrayList<>();
        for (int i = 1; i < tokens.size(); i++) {
            JsonNode piece = tokens.get(i).path("piece");
            if (piece.isArray()) {
                piece.forEach(value -> bytes.add(value.intValue()));
            }
        }
        assertThat(bytes).as(response.body()).containsExactly(0xF0, 0x9F, 0xA6, 0x80);
    }

    @Test
    void startTokensAreAddedOnlyWhereTheModelWantsOne() {
        assertThat(encode(Map.of("content", "Hi", "add_special", true))).endsWith(encode(Map.of("content", "Hi")).toArray(Integer[]::new));
    }

    @Test
    void bothWorkBehindV1Too() {
        assertThat(post("/v1/tokenize", Map.of("content", "Hi")).statusCode()).isEqualTo(200);
        assertThat(post("/v1/detokenize", Map.of("tokens", List.of(1, 2))).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "/tokenize|{}|content|required",
        "/tokenize|{\"content\":7}|content|a string, got a number",
        "/tokenize|{\"content\":\"a\",\"parse_special\":1}|parse_special|true or false",
        "/tokenize|{\"content\":\"a\",\"pieces\":true}|pieces|known are add_special",
        "/tokenize|{\"content\":\"\\ud800\"}|content|surrogate",
        "/detokenize|{}|tokens|required",
        "/detokenize|{\"tokens\":\"1\"}|tokens|an array of token ids",
        "/detokenize|{\"tokens\":[1,8192]}|tokens[1]|from 0 to 8191",
        "/detokenize|{\"tokens\":[-1]}|tokens[0]|from 0 to 8191",
        "/detokenize|{\"tokens\":[1.5]}|tokens[0]|an integer"})
    void whatCannotBeReadIsNamedAndTheNextRequestWorks(String path, String body, String param, String expected) {
        HttpResponse<String> response = server.post(path, body);

        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(error(response).path("param").stringValue()).isEqualTo(param);
        assertThat(error(response).path("message").stringValue()).contains(expected);
        assertThat(decode(encode(Map.of("content", "Hi")))).isEqualTo("Hi");
    }

    @Test
    void anotherModelIs404() {
        assertThat(post("/tokenize", Map.of("content", "Hi", "model", "other")).statusCode()).isEqualTo(404);
    }

    private static List<Integer> encode(Map<String, ?> body) {
        List<Integer> ids = new ArrayList<>();
        json(post("/tokenize", body)).path("tokens").forEach(id -> ids.add(id.intValue()));
        return ids;
    }

    private static String decode(List<Integer> ids) {
        return json(post("/detokenize", Map.of("tokens", ids))).path("content").stringValue();
    }

    private static HttpResponse<String> post(String path, Map<String, ?> body) {
        HttpResponse<String> response = server.post(path, JsonMapper.shared().writeValueAsString(body));
        return response;
    }
}
