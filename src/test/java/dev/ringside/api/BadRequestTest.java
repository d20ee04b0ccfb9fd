package dev.ringside.api;

import static dev.ringside.api.ApiServer.error;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** What is wrong with a request is said in its answer, and the next request works. */
class BadRequestTest {

    private static final String HI = "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";

    private static ApiServer server;

    @BeforeAll
    static void start() {
        server = ApiServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void theNextRequestWorks() {
        assertThat(server.chat("{" + HI + "}").statusCode()).isEqualTo(200);
    }

    static Stream<Arguments> fieldsOfAChat() {
        return Stream.of(
                Arguments.of("temperature", "-1", "between 0"),
                Arguments.of("temperature", "2.5", "between 0"),
                Arguments.of("temperature", "\"hot\"", "a number, got a string"),
                Arguments.of("temperature", "1e400", "too large"),
                Arguments.of("top_p", "2", "at most 1"),
                Arguments.of("top_p", "0", "greater than 0"),
                Arguments.of("top_k", "-1", "0 (off) or more"),
                Arguments.of("top_k", "1.5", "an integer"),
                Arguments.of("min_p", "1.1", "between 0"),
                Arguments.of("presence_penalty", "3", "between -2"),
                Arguments.of("frequency_penalty", "-3", "between -2"),
                Arguments.of("repetition_penalty", "0", "greater than 0"),
                Arguments.of("seed", "1e30", "integer"),
                Arguments.of("seed", "123456789012345678901234567890", "64-bit"),
                Arguments.of("max_tokens", "0", "at least 1"),
                Arguments.of("max_tokens", "-5", "at least 1"),
                Arguments.of("max_tokens", "true", "an integer, got a boolean"),
                Arguments.of("max_completion_tokens", "0", "at least 1"),
                Arguments.of("logit_bias", "{\"8192\":1}", "from 0 to 8191"),
                Arguments.of("logit_bias", "{\"AI\":1}", "\"AI\""),
                Arguments.of("logit_bias", "{\"-1\":1}", "\"-1\""),
                Arguments.of("logit_bias", "{\"01\":1}", "\"01\""),
                Arguments.of("logit_bias", "{\"5\":101}", "between -100 and 100"),
                Arguments.of("logit_bias", "[1]", "an object, got an array"),
                Arguments.of("stop", "\"\"", "1 to 1024"),
                Arguments.of("stop", "7", "a string or an array"),
                Arguments.of("stop", "[" + "\"a\",".repeat(16) + "\"a\"]", "at most 16"),
                Arguments.of("stream", "\"yes\"", "true or false"),
                Arguments.of("stream_options", "{\"include_usage\":true}", "only allowed when stream"),
                Arguments.of("model", "5", "a string"),
                Arguments.of("n", "17", "between 1 and 16"),
                Arguments.of("n", "0", "between 1 and 16"),
                Arguments.of("tools", "{}", "an array, got an object"),
                Arguments.of("tool_choice", "\"required\"", "only allowed when tools"),
                Arguments.of("tool_choice", "\"always\"", "none, auto, required"),
                Arguments.of("parallel_tool_calls", "1", "true or false"),
                Arguments.of("functions", "[{\"name\":\"f\"}]", "use tools"),
                Arguments.of("function_call", "\"auto\"", "use tool_choice"),
                Arguments.of("top_logprobs", "5", "only allowed when logprobs"),
                Arguments.of("top_logprobs", "21", "between 0 and 20"),
                Arguments.of("top_logprobs", "-1", "between 0 and 20"),
                Arguments.of("logprobs", "3", "true or false"),
                Arguments.of("reasoning_effort", "\"extreme\"", "xhigh"),
                Arguments.of("service_tier", "\"gold\"", "flex"),
                Arguments.of("timeout", "0", "greater than 0"),
                Arguments.of("verbosity", "\"low\"", "medium"),
                Arguments.of("web_search_options", "{}", "search"),
                Arguments.of("modalities", "[\"audio\"]", "text"),
                Arguments.of("audio", "{\"voice\":\"x\"}", "not supported"),
                Arguments.of("grammar", "\"root ::= x\"", "not supported"));
    }

    @ParameterizedTest
    @MethodSource("fieldsOfAChat")
    void aFieldThatCannotBeHonouredIsNamed(String field, String value, String expected) {
        refused(server.chat("{" + HI + ",\"" + field + "\":" + value + "}"), 400, field, expected);
    }

    static Stream<Arguments> messages() {
        return Stream.of(
                Arguments.of("{}", "messages", "required"),
                Arguments.of("{\"messages\":null}", "messages", "required"),
                Arguments.of("{\"messages\":[]}", "messages", "at least one"),
                Arguments.of("{\"messages\":\"hi\"}", "messages", "an array, got a string"),
                Arguments.of("{\"messages\":[7]}", "messages[0]", "an object, got a number"),
                Arguments.of("{\"messages\":[{\"content\":\"x\"}]}", "messages[0].role", "required"),
                Arguments.of("{\"messages\":[{\"role\":\"robot\",\"content\":\"x\"}]}", "messages[0].role", "got 'robot'"),
                Arguments.of("{\"messages\":[{\"role\":\"user\"}]}", "messages[0].content", "required"),
                Arguments.of("{\"messages\":[{\"role\":\"user\",\"content\":5}]}", "messages[0].content", "got a number"),
                Arguments.of("{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"x\"}}]}]}",
                        "messages[0].content[0].type", "text only"),
                Arguments.of("{\"messages\":[{\"role\":\"user\",\"content\":\"a\\ud800b\"}]}", "messages[0].content", "surrogate"),
                Arguments.of("{\"messages\":[{\"role\":\"user\",\"content\":\"\\udc00\"}]}", "messages[0].content", "surrogate"));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void aMessageThatCannotBeReadIsNamed(String body, String param, String expected) {
        refused(server.chat(body), 400, param, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "~~|empty",
        "{|not valid JSON",
        "{\"messages\":NaN}|not valid JSON",
        "{\"a\":1}{\"b\":2}|not valid JSON",
        "[1]|must be a JSON object, got an array",
        "\"text\"|must be a JSON object, got a string",
        "null|must be a JSON object, got null"})
    void whatIsNoJsonObjectIsRefused(String body, String expected) {
        refused(server.chat(body), 400, null, expected);
    }

    @Test
    void deepNestingIsRefusedWithoutRecursion() {
        refused(server.chat("{\"messages\":" + "[".repeat(3000) + "]".repeat(3000) + "}"), 400, null, "depth");
    }

    @Test
    void bytesThatAreNoUtf8AreRefused() {
        byte[] body = ("{" + HI.replace("Hi", "H\u00FF") + "}").getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        refused(server.send(HttpRequest.newBuilder(server.uri("/v1/chat/completions")).header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))), 400, null, "UTF-8");
    }

    @Test
    void aBodyLargerThanAllowedIs413() {
        refused(server.chat("{" + HI + ",\"user\":\"" + "x".repeat(1 << 20) + "\"}"), 413, null, "larger than 1048576 bytes");
    }

    @Test
    void aBodyOfUnknownLengthThatIsTooLargeIs413() {
        byte[] chunk = new byte[64 << 10];
        refused(server.send(HttpRequest.newBuilder(server.uri("/v1/chat/completions")).header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArrays(java.util.Collections.nCopies(32, chunk)))), 413, null, "larger than");
    }

    @Test
    void otherContentTypesAre415() {
        refused(server.send(HttpRequest.newBuilder(server.uri("/v1/chat/completions")).header("content-type", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString("{" + HI + "}"))), 415, null, "application/json");
    }

    @Test
    void otherMethodsAre405() {
        HttpResponse<String> response = server.get("/v1/chat/completions");
        refused(response, 405, null, "method");
        assertThat(response.headers().firstValue("allow")).hasValue("POST");
    }

    @Test
    void otherPathsAre404() {
        refused(server.get("/v1/nothing"), 404, null, "nothing at this path");
    }

    @Test
    void anotherModelIs404() {
        HttpResponse<String> response = server.chat("{" + HI + ",\"model\":\"gpt-4o\"}");
        refused(response, 404, "model", "'gpt-4o' is not served here; use 'ringside-demo'");
        assertThat(error(response).path("code").stringValue()).isEqualTo("model_not_found");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "{}|prompt|required",
        "{\"prompt\":5}|prompt|a string, an array",
        "{\"prompt\":\"\"}|prompt|not be empty",
        "{\"prompt\":[]}|prompt|not be empty",
        "{\"prompt\":[8192]}|prompt[0]|from 0 to 8191",
        "{\"prompt\":[1,-1]}|prompt[1]|from 0 to 8191",
        "{\"prompt\":[\"a\",{}]}|prompt[1]|got an object",
        "{\"prompt\":\"a\",\"suffix\":\"b\"}|suffix|not supported",
        "{\"prompt\":\"a\",\"echo\":true,\"logprobs\":0}|echo|together with logprobs",
        "{\"prompt\":\"a\",\"logprobs\":6}|logprobs|between 0 and 5",
        "{\"prompt\":\"a\",\"logprobs\":true}|logprobs|an integer",
        "{\"prompt\":\"a\",\"best_of\":2}|best_of|must be 1",
        "{\"prompt\":[\"a\",\"b\",\"c\",\"d\",\"e\"],\"n\":13}|n|at most 64",
        "{\"prompt\":\"a\",\"tools\":[{}]}|tools|chat/completions"})
    void aCompletionThatCannotBeHonouredIsNamed(String body, String param, String expected) {
        refused(server.post("/v1/completions", body), 400, param, expected);
    }

    private static void refused(HttpResponse<String> response, int status, String param, String expected) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("content-type")).hasValue("application/json");
        assertThat(response.headers().firstValue("x-request-id")).isPresent();
        JsonNode error = error(response);
        assertThat(error.path("message").stringValue()).contains(expected);
        assertThat(error.path("type").stringValue()).isEqualTo("invalid_request_error");
        assertThat(error.path("param").isNull() ? null : error.path("param").stringValue()).isEqualTo(param);
        assertThat(error.has("code")).isTrue();
    }
}
