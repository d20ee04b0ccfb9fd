package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.HttpURLConnection;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CorsFilterTest {

    private static final String PAGE = "https://chat.example.com";

    @Test
    void byDefaultNoPageOfAnotherOriginMayCall() {
        try (ApiServer server = ApiServer.start()) {
            assertThat(preflight(server, PAGE).headers().firstValue("access-control-allow-origin")).isEmpty();
            assertThat(call(server, PAGE).headers().firstValue("access-control-allow-origin")).isEmpty();
        }
    }

    @Test
    void anAllowedPageMayCallAndIsAskedForItsKeyOnlyThen() {
        try (ApiServer server = ApiServer.start(settings -> ApiServer.withKeys(ApiServer.withCors(settings, PAGE), "k"))) {
            HttpResponse<String> preflight = preflight(server, PAGE);

            assertThat(preflight.statusCode()).isEqualTo(HttpURLConnection.HTTP_OK);
            assertThat(preflight.headers().firstValue("access-control-allow-origin")).hasValue(PAGE);
            assertThat(preflight.headers().firstValue("access-control-allow-headers").orElse("")).contains("authorization");
            assertThat(preflight.headers().firstValue("access-control-max-age")).hasValue("60");
            HttpResponse<String> call = call(server, PAGE);
            assertThat(call.statusCode()).isEqualTo(401);
            assertThat(call.headers().firstValue("access-control-allow-origin")).as("so that the page can read the error").hasValue(PAGE);
            assertThat(call.headers().firstValue("access-control-expose-headers").orElse("")).contains("x-request-id");
        }
    }

    @Test
    void otherPagesStayOut() {
        try (ApiServer server = ApiServer.start(settings -> ApiServer.withCors(settings, "https://*.example.com"))) {
            assertThat(preflight(server, "https://example.org").statusCode()).isEqualTo(403);
            assertThat(call(server, "https://evil.test").statusCode()).isEqualTo(403);
            assertThat(call(server, "https://a.example.com").statusCode()).isEqualTo(200);
            assertThat(server.get("/v1/models").statusCode()).as("no browser").isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({"*,true", "https://a.example.com,true", "http://localhost:3000,true", "https://*.example.com,true",
        "a.example.com,false", "https://a.example.com/,false", "https://a/b,false", "null,false", "'',false", "https://u@a,false",
        "https://a?b,false"})
    void anOriginIsSchemeHostAndPort(String setting, boolean valid) {
        assertThat(CorsSettings.isOrigin(setting)).isEqualTo(valid);
    }

    private static HttpResponse<String> preflight(ApiServer server, String origin) {
        return server.send(HttpRequest.newBuilder(server.uri("/v1/models")).method("OPTIONS", HttpRequest.BodyPublishers.noBody())
                .header("Origin", origin).header("Access-Control-Request-Method", "GET")
                .header("Access-Control-Request-Headers", "authorization"));
    }

    private static HttpResponse<String> call(ApiServer server, String origin) {
        return server.send(HttpRequest.newBuilder(server.uri("/v1/models")).header("Origin", origin));
    }
}
