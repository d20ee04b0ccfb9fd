package dev.ringside.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RingsideMetersTest {

    private final EngineViews views = new SampleViews().views();

    @Test
    void everyMeterIsRegisteredUnderItsName() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new RingsideMeters(views).bindTo(registry);

        assertThat(registry.getMeters().stream().map(meter -> meter.getId().getName()))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(RingsideMeter.values()).map(RingsideMeter::meterName).toList());
        assertThat(registry.getMeters()).allSatisfy(meter -> assertThat(meter.getId().getDescription()).isNotBlank());
    }

    @Test
    void metersReadTheSnapshots() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new RingsideMeters(views).bindTo(registry);

        assertThat(value(registry, "ringside.experts.hits")).isEqualTo(90);
        assertThat(value(registry, "ringside.experts.misses")).isEqualTo(30);
        assertThat(value(registry, "ringside.experts.wait")).isEqualTo(0.01);
        assertThat(value(registry, "ringside.checkpoints.bytes")).isEqualTo(24_576);
        assertThat(value(registry, "ringside.scheduler.active")).isEqualTo(3);
        assertThat(value(registry, "ringside.scheduler.queued")).isEqualTo(5);
        assertThat(value(registry, "ringside.scheduler.rejected")).isEqualTo(11);
        assertThat(value(registry, "ringside.tokens.prompt")).isEqualTo(555);
        assertThat(value(registry, "ringside.tokens.generated")).isEqualTo(666);
    }

    @Test
    void theDocumentedTableIsTheOneInTheCode() throws IOException {
        String documented = Files.readString(Path.of("docs/metrics.md"));

        assertThat(documented).as("docs/metrics.md; replace its table with this one:%n%s", table()).contains(table());
    }

    private static double value(SimpleMeterRegistry registry, String name) {
        Meter meter = registry.get(name).meter();
        return meter.measure().iterator().next().getValue();
    }

    private String table() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new RingsideMeters(views).bindTo(prometheus);
        List<String> scraped = prometheus.scrape().lines().filter(line -> line.startsWith("ringside"))
                .map(line -> line.substring(0, line.indexOf(' '))).toList();
        StringBuilder table = new StringBuilder(
                "| meter | in Prometheus | kind | unit | what it counts |\n| --- | --- | --- | --- | --- |\n");
        for (RingsideMeter meter : RingsideMeter.values()) {
            String stem = meter.meterName().replace('.', '_');
            String name = scraped.stream()
                    .filter(each -> each.equals(stem) || each.equals(stem + "_total") || each.equals(stem + "_" + meter.unit())
                            || each.equals(stem + "_" + meter.unit() + "_total"))
                    .findFirst().orElseThrow();
            table.append("| `").append(meter.meterName()).append("` | `").append(name).append("` | ")
                    .append(meter.kind().name().toLowerCase(java.util.Locale.ROOT)).append(" | ")
                    .append(meter.unit() == null ? "" : meter.unit())
                    .append(" | ").append(meter.description()).append(" |\n");
        }
        return table.toString();
    }
}
