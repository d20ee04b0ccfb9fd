package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;

/** Actuator on a port of its own, as the chart sets it: scrapers need no key there, and clients find nothing of it on theirs. */
class ManagementPortTest {

    @Test
    void keysAreForTheApiAndThePortForOperators() {
        try (ReactiveWebServerApplicationContext server = (ReactiveWebServerApplicationContext) SpringApplication.run(
                RingsideApplication.class, "--server.port=0", "--management.server.port=0", "--ringside.gpu.backend=cpu",
                "--ringside.model.path=", "--ringside.api.keys=sesame");
                HttpCalls api = new HttpCalls(server.getWebServer().getPort());
                HttpCalls operators = new HttpCalls(
                        Integer.parseInt(server.getEnvironment().getRequiredProperty("local.management.port")))) {
            assertThat(api.get("/v1/models").statusCode()).isEqualTo(401);
            assertThat(api.get("/actuator/experts").statusCode()).isNotEqualTo(200);
            assertThat(PrometheusText.parse(operators.get("/actuator/prometheus").body()).has("ringside_engine_steps_total")).isTrue();
            assertThat(operators.json("/actuator/sequences").path("sequences").isEmpty()).isTrue();
            assertThat(operators.get("/actuator/health/readiness").statusCode()).isEqualTo(200);
            assertThat(operators.get("/v1/models").statusCode()).isNotEqualTo(200);
        }
    }
}
