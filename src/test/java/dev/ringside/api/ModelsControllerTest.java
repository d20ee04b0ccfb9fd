package dev.ringside.api;

import static dev.ringside.api.ApiServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelsControllerTest {

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
    @ValueSource(strings = {"/v1/models", "/models"})
    void theServedModelIsListed(String path) {
        assertThat(server.get(path).body()).isEqualTo("{\"object\":\"list\",\"data\":[{\"id\":\"ringside-demo\",\"object\":\"model\","
                + "\"created\":1700000000,\"owned_by\":\"ringside\",\"context_length\":4096}]}");
    }

    @Test
    void theModelIsFoundByItsId() {
        assertThat(json(server.get("/v1/models/ringside-demo")).path("id").stringValue()).isEqualTo("ringside-demo");
    }

    @Test
    void anotherModelIsNotFound() {
        var response = server.get("/v1/models/openai/gpt-4o");

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(ApiServer.error(response).path("code").stringValue()).isEqualTo("model_not_found");
        assertThat(ApiServer.error(response).path("message").stringValue()).contains("'openai/gpt-4o'");
    }
}
