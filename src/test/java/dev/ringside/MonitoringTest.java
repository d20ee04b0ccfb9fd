package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What Prometheus scrapes is well-formed and true, and alerts and dashboard ask for nothing else. */
@DemoServer
class MonitoringTest {

    private static final Path ALERTS = Path.of("config/prometheus/alerts.yaml");
    private static final Path DASHBOARD = Path.of("config/grafana/ringside.json");

    @LocalServerPort
    int port;

    private HttpCalls http;

    @BeforeEach
    void open() {
        http = new HttpCalls(port);
        awaitIdle();
    }

    @AfterEach
    void close() {
        http.close();
    }

    @Test
    void everyMetricOfAlertsAndDashboardIsScraped() throws IOException {
        // Some have samples only when there was a request.
        http.answer("What is 1 + 2?");
        awaitIdle();
        PrometheusText scraped = scrape();

        Set<String> named = new LinkedHashSet<>();
        expressions().forEach(expression -> collect(expression, named));

        assertThat(named).hasSizeGreaterThan(25).allSatisfy(name -> assertThat(scraped.has(name)).as(name).isTrue());
    }

    @Test
    void countersTellTheTruth() {
        PrometheusText before = scrape();
        long prompt = 0;
        long generated = 0;
        long reused = 0;
        int requests = 5;
        for (int i = 0; i < requests; i++) {
            JsonNode usage = JsonMapper.shared().readTree(http.chat(HttpCalls.question("Count to " + (i % 3 + 3) + ".")).body())
                    .path("usage");
            prompt += usage.path("prompt_tokens").longValue();
            generated += usage.path("completion_tokens").longValue();
            reused += usage.path("prompt_tokens_details").path("cached_tokens").longValue();
        }
        int refused = 3;
        for (int i = 0; i < refused; i++) {
            assertThat(http.chat("{\"messages\":[]}").statusCode()).isEqualTo(400);
        }
        awaitIdle();
        PrometheusText after = scrape();

        assertThat(grown("ringside_scheduler_completed_total", before, after)).isEqualTo(requests);
        assertThat(grown("ringside_tokens_generated_total", before, after)).isEqualTo(generated);
        assertThat(grown("ringside_tokens_prompt_total", before, after)).isEqualTo(prompt - reused);
        assertThat(grown("ringside_checkpoints_tokens_saved_total", before, after)).isEqualTo(reused);
        assertThat(grown("ringside_checkpoints_hits_total", before, after) + grown("ringside_checkpoints_misses_total", before, after))
                .isEqualTo(requests);
        assertThat(grown("ringside_scheduler_failed_total", before, after)).isZero();
        assertThat(grown("ringside_scheduler_rejected_total", before, after)).isZero();
        assertThat(after.sum("ringside_scheduler_active")).isZero();
        assertThat(after.sum("ringside_scheduler_queued")).isZero();
        assertThat(after.sum("ringside_checkpoints_bytes")).isZero();
    }

    @Test
    void everyAlertSaysWhatToDo() throws IOException {
        String operations = Files.readString(Path.of("docs/operations.md"));

        assertThat(rules()).hasSizeGreaterThan(8).allSatisfy(rule -> {
            assertThat(map(rule.get("labels")).get("severity")).isIn("info", "warning", "critical");
            assertThat(map(rule.get("annotations"))).containsKeys("summary", "description");
            assertThat(operations).as("docs/operations.md").contains("`" + rule.get("alert") + "`");
        });
    }

    private void awaitIdle() {
        await().atMost(Duration.ofMinutes(3)).until(() -> http.json("/actuator/checkpoints").path("sequences").intValue() == 0
                && http.json("/actuator/scheduler").path("active").intValue() == 0);
    }

    private PrometheusText scrape() {
        return PrometheusText.parse(http.get("/actuator/prometheus").body());
    }

    private static double grown(String name, PrometheusText before, PrometheusText after) {
        return after.sum(name) - before.sum(name);
    }

    private static List<String> expressions() throws IOException {
        List<String> expressions = new ArrayList<>();
        rules().forEach(rule -> expressions.add(rule.get("expr").toString()));
        for (JsonNode panel : JsonMapper.shared().readTree(Files.readString(DASHBOARD)).path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                expressions.add(target.path("expr").stringValue());
            }
        }
        return expressions;
    }

    private static List<Map<String, Object>> rules() throws IOException {
        List<Map<String, Object>> rules = new ArrayList<>();
        Map<String, Object> file = map(new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(ALERTS)));
        for (Object group : (List<?>) file.get("groups")) {
            ((List<?>) map(group).get("rules")).forEach(rule -> rules.add(map(rule)));
        }
        return rules;
    }

    /** Every word of an expression that looks like a metric: one with an underscore that is no function, label or variable. */
    private static void collect(String expression, Set<String> names) {
        String bare = withoutBraces(expression);
        for (String word : bare.split("[^a-zA-Z0-9_:$]+")) {
            if (word.contains("_") && !word.startsWith("$") && !word.equals("histogram_quantile")) {
                names.add(word);
            }
        }
    }

    private static String withoutBraces(String expression) {
        StringBuilder result = new StringBuilder();
        int depth = 0;
        for (char c : expression.toCharArray()) {
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            result.append(depth > 0 || c == '}' ? ' ' : c);
        }
        return result.toString();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
