package dev.ringside.api;

import static dev.ringside.api.ApiServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.Priority;
import dev.ringside.serving.RequestInfo;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Whose requests a key sees and ends. */
class RequestKeysTest {

    private static ApiServer server;

    @BeforeAll
    static void start() {
        server = ApiServer.start(settings -> ApiServer.withKeys(settings,
                ApiKey.parseAll(List.of(named("alice", "a"), named("bob", "b"), named("ops", "o")), List.of("ops"))));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void threeRequests() {
        server.requests.listed.clear();
        for (String owner : new String[] {"alice", "bob"}) {
            server.requests.listed.add(new RequestInfo("cmpl-" + owner, Priority.INTERACTIVE, RequestInfo.State.GENERATING,
                    Duration.ZERO, 1, 1, 1, 1, owner));
        }
        server.requests.listed.add(new RequestInfo("cmpl-0", Priority.INTERACTIVE, RequestInfo.State.GENERATING, Duration.ZERO, 1, 1, 1, 1,
                null));
    }

    @Test
    void aKeySeesItsOwnRequests() {
        assertThat(ids("a")).containsExactly("cmpl-alice");
        assertThat(ids("b")).containsExactly("cmpl-bob");
    }

    @Test
    void anAdminKeySeesAll() {
        assertThat(ids("o")).containsExactly("cmpl-alice", "cmpl-bob", "cmpl-0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cmpl-bob", "cmpl-0"})
    void aKeyEndsNothingOfOthersAndLearnsNothing(String id) {
        HttpResponse<String> refused = delete(id, "a");

        assertThat(refused.statusCode()).isEqualTo(404);
        assertThat(json(refused).path("error").path("code").stringValue()).isEqualTo("request_not_found");
        assertThat(server.requests.listed).hasSize(3);
    }

    @Test
    void aKeyEndsItsOwn() {
        assertThat(delete("cmpl-alice", "a").statusCode()).isEqualTo(200);
        assertThat(server.requests.listed).hasSize(2);
    }

    @Test
    void anAdminKeyEndsAny() {
        assertThat(delete("cmpl-alice", "o").statusCode()).isEqualTo(200);
        assertThat(delete("cmpl-0", "o").statusCode()).isEqualTo(200);
    }

    private static String named(String name, String key) {
        return name + "=sha256:" + HexFormat.of().formatHex(ApiKey.digest(key));
    }

    private static List<String> ids(String key) {
        JsonNode data = json(server.send(HttpRequest.newBuilder(server.uri("/v1/requests")).header("x-api-key", key).GET())).path("data");
        return data.valueStream().map(row -> row.path("id").stringValue()).toList();
    }

    private static HttpResponse<String> delete(String id, String key) {
        return server.send(HttpRequest.newBuilder(server.uri("/v1/requests/" + id)).header("x-api-key", key).DELETE());
    }
}
