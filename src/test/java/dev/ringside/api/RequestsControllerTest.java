package dev.ringside.api;

import static dev.ringside.api.ApiServer.error;
import static dev.ringside.api.ApiServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.Priority;
import dev.ringside.serving.RequestInfo;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class RequestsControllerTest {

    private static ApiServer server;

    @BeforeAll
    static void start() {
        server = ApiServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void twoRequests() {
        server.requests.listed.clear();
        server.requests.accepting = true;
        server.requests.listed
                .add(new RequestInfo("chatcmpl-A", Priority.INTERACTIVE, RequestInfo.State.GENERATING, Duration.ofMillis(1500),
                        20, 20, 7, 100, "alice"));
        server.requests.listed.add(new RequestInfo("cmpl-B", Priority.BATCH, RequestInfo.State.QUEUED, Duration.ZERO, 9, 0, 0, 10, null));
    }

    @Test
    void whatRunsAndWaitsIsListedWithNumbersAndNoText() {
        JsonNode data = json(server.get("/v1/requests")).path("data");

        assertThat(data).hasSize(2);
        assertThat(data.get(0).toString()).isEqualTo("{\"id\":\"chatcmpl-A\",\"object\":\"request\",\"state\":\"generating\","
                + "\"priority\":\"interactive\",\"age_ms\":1500,\"prompt_tokens\":20,\"prompt_tokens_done\":20,\"completion_tokens\":7,"
                + "\"max_tokens\":100,\"key\":\"alice\"}");
        assertThat(data.get(1).path("state").stringValue()).isEqualTo("queued");
        assertThat(data.get(1).path("key").isNull()).isTrue();
    }

    @Test
    void aRequestCanBeCancelledOnce() {
        HttpResponse<String> response = delete("/v1/requests/chatcmpl-A");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(json(response).path("cancelled").booleanValue()).isTrue();
        assertThat(delete("/v1/requests/chatcmpl-A").statusCode()).isEqualTo(404);
        assertThat(json(server.get("/v1/requests")).path("data")).hasSize(1);
    }

    @Test
    void anUnknownIdIs404() {
        HttpResponse<String> response = delete("/v1/requests/nobody");

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(error(response).path("code").stringValue()).isEqualTo("request_not_found");
        assertThat(error(response).path("message").stringValue()).contains("'nobody'");
    }

    @Test
    void embeddingsAreRefusedWithAReason() {
        HttpResponse<String> response = server.post("/v1/embeddings", "{\"input\":\"x\",\"model\":\"m\"}");

        assertThat(response.statusCode()).isEqualTo(501);
        assertThat(error(response).path("code").stringValue()).isEqualTo("unsupported_endpoint");
        assertThat(error(response).path("message").stringValue()).contains("embedding model");
    }

    @Test
    void healthSaysWhetherRequestsAreTaken() {
        assertThat(server.get("/health").body()).isEqualTo("{\"status\":\"ok\"}");

        server.requests.accepting = false;

        HttpResponse<String> response = server.get("/health");
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(error(response).path("type").stringValue()).isEqualTo("unavailable_error");
    }

    private static HttpResponse<String> delete(String path) {
        return server.send(HttpRequest.newBuilder(server.uri(path)).DELETE());
    }
}
