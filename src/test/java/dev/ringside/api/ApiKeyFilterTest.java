package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiKeyFilterTest {

    private static ApiServer server;

    @BeforeAll
    static void start() {
        server = ApiServer.start(settings -> ApiServer.withKeys(settings, "first-key", "second-key",
                "carol=sha256:d0c04f4b1951e4aeaaec8223ed2039e542f3aae805a6fa7f6d794e5afff5d272"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void withoutAKeyARequestIsRefused() {
        HttpResponse<String> response = server.get("/v1/models");

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(response.headers().firstValue("www-authenticate")).hasValue("Bearer");
        assertThat(ApiServer.error(response).path("type").stringValue()).isEqualTo("authentication_error");
        assertThat(ApiServer.error(response).path("code").stringValue()).isEqualTo("missing_api_key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer wrong", "Bearer first-key2", "Bearer ", "Basic first-key", "first-key"})
    void aWrongKeyIsRefused(String header) {
        HttpResponse<String> response = with(header);

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(ApiServer.error(response).path("code").stringValue()).isEqualTo("invalid_api_key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer first-key", "bearer second-key", "Bearer sesame"})
    void everyConfiguredKeyIsAccepted(String header) {
        assertThat(with(header).statusCode()).isEqualTo(200);
    }

    @Test
    void theHeaderOfAnthropicsClientsIsAcceptedToo() {
        assertThat(withHeader("x-api-key", "second-key").statusCode()).isEqualTo(200);
        assertThat(withHeader("x-api-key", "sesame").statusCode()).isEqualTo(200);
        assertThat(withHeader("x-api-key", "nobody").statusCode()).isEqualTo(401);
    }

    @Test
    void theHashOfAKeyIsNoKey() {
        assertThat(with("Bearer d0c04f4b1951e4aeaaec8223ed2039e542f3aae805a6fa7f6d794e5afff5d272").statusCode()).isEqualTo(401);
    }

    @Test
    void aRefusalOnAnthropicsPathsHasItsShape() {
        HttpResponse<String> response = server.post("/v1/messages", "{}");

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(ApiServer.json(response).path("type").stringValue()).isEqualTo("error");
        assertThat(ApiServer.error(response).path("type").stringValue()).isEqualTo("authentication_error");
    }

    @Test
    void healthNeedsNoKey() {
        assertThat(server.get("/actuator/health/liveness").statusCode()).as("let through to where this server has nothing").isEqualTo(404);
    }

    @Test
    void otherActuatorPathsNeedAKey() {
        assertThat(server.get("/actuator/experts").statusCode()).isEqualTo(401);
    }

    @Test
    void aPathThatOnlyLooksLikeHealthNeedsAKey() {
        assertThat(server.get("/actuator/health/..%2Fexperts").statusCode()).isNotEqualTo(200);
        assertThat(server.get("/v1/models;/actuator/health").statusCode()).isEqualTo(401);
    }

    @Test
    void aClientsRequestIdComesBack() {
        HttpResponse<String> response = server
                .send(HttpRequest.newBuilder(server.uri("/v1/models")).header("x-request-id", "my-id-1").GET());

        assertThat(response.headers().firstValue("x-request-id")).hasValue("my-id-1");
    }

    private static HttpResponse<String> with(String header) {
        return withHeader("Authorization", header);
    }

    private static HttpResponse<String> withHeader(String name, String value) {
        return server.send(HttpRequest.newBuilder(server.uri("/v1/models")).header(name, value).GET());
    }
}
