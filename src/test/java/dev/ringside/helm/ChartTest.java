package dev.ringside.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.util.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * The chart lints, renders as reviewed for several sets of values, gives objects that Kubernetes knows field by field, and refuses values that
 * make no sense. {@code -Dringside.test.golden=write} writes what it renders to the reviewed files.
 */
class ChartTest {

    private static final Path CHART = Path.of("helm/ringside");
    private static final Path VALUES = Path.of("src/test/resources/helm");
    /** Not Kubernetes' own. */
    private static final Set<String> CUSTOM = Set.of("ServiceMonitor", "PodMonitor", "PrometheusRule", "ScaledObject", "InferencePool");

    @Test
    void lintsStrictly() {
        LintResult result = new Helm(CHART).lint().strict().call();

        assertThat(result.getMessages()).filteredOn(message -> message.contains("ERROR") || message.contains("WARNING")).isEmpty();
        assertThat(result.isFailed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"defaults", "gpu-pvc", "image-volume", "download", "statefulset", "autoscaled", "keda", "gateway"})
    void rendersAsReviewed(String name) throws IOException {
        String rendered = render(name);
        Path golden = VALUES.resolve("golden").resolve(name + ".yaml");
        if ("write".equals(System.getProperty("ringside.test.golden"))) {
            Files.createDirectories(golden.getParent());
            Files.writeString(golden, rendered);
        }

        assertThat(rendered).isEqualTo(Files.readString(golden));
    }

    @ParameterizedTest
    @ValueSource(strings = {"defaults", "gpu-pvc", "image-volume", "download", "statefulset", "autoscaled", "keda", "gateway"})
    void givesObjectsThatKubernetesKnows(String name) throws IOException {
        List<String> kinds = new ArrayList<>();
        for (String document : documents(render(name))) {
            Map<String, Object> object = parse(document);
            String kind = String.valueOf(object.get("kind"));
            kinds.add(kind);
            assertThat(object.get("apiVersion")).as(document).isNotNull();
            if (!CUSTOM.contains(kind)) {
                assertThat(Yaml.load(document)).as(kind).isNotNull();
            }
        }
        assertThat(kinds).contains("ConfigMap", "Service").containsAnyOf("Deployment", "StatefulSet");
    }

    /** Rendering leaves hooks out: here it is none. */
    @Test
    void theTestPodIsOneThatKubernetesKnows(@TempDir Path copy) throws IOException {
        try (Stream<Path> files = Files.walk(CHART)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path target = copy.resolve("ringside").resolve(CHART.relativize(file).toString());
                Files.createDirectories(target.getParent());
                Files.writeString(target, Files.readString(file).replace("helm.sh/hook", "example/hook"));
            }
        }

        String rendered = new Helm(copy.resolve("ringside")).template().withKubeVersion("1.35.0").withName("ringside").call();

        String pod = documents(rendered).stream().filter(document -> document.contains("kind: Pod\n")).findFirst().orElseThrow();
        assertThat(Yaml.load(pod)).isInstanceOf(V1Pod.class);
        assertThat(pod).contains("/v1/chat/completions");
    }

    @Test
    void anUnknownFieldOfAnObjectWouldBeNoticed() {
        assertThatThrownBy(() -> Yaml.load("apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: a\n      redinessProbe: {}\n"))
                .hasMessageContaining("redinessProbe");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "replicaCount|-1|minimum",
        "kind|DaemonSet|Deployment",
        "model.source|ftp|value must be one of",
        "model.source|pvc|model.path is needed",
        "model.source|download|model.download.address is needed",
        "model.download.address|ftp://host/a|does not match pattern",
        "gpu.count|0|minimum",
        "spill.size|16GB|does not match pattern",
        "resorces.limits|1|additional properties 'resorces' not allowed",
        "ports.http|80|minimum",
        "model.download.sha256[0]|abc|does not match pattern"})
    void refusesWrongValues(String name, String value, String reason) {
        assertThatThrownBy(() -> template().set(name, value).call()).hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "autoscaling.enabled=true,keda.enabled=true|two autoscalers would fight",
        "metrics.serviceMonitor.enabled=true,metrics.podMonitor.enabled=true|counted twice",
        "spill.enabled=true,spill.storage=claim|needs kind StatefulSet",
        "spill.enabled=true,spill.storage=pvc,spill.claimName=a,replicaCount=2|one server at a time"})
    void refusesValuesThatDoNotFitEachOther(String values, String reason) {
        TemplateCommand command = template();
        for (String value : values.split(",")) {
            command.set(value.substring(0, value.indexOf('=')), value.substring(value.indexOf('=') + 1));
        }

        assertThatThrownBy(command::call).hasMessageContaining(reason);
    }

    @Test
    void thePodOutlivesItsDrain() throws IOException {
        Map<String, Object> config = parse(configuration(render("defaults")));
        long grace = Long.parseLong(at(config, "spring", "lifecycle", "timeout-per-shutdown-phase").toString().replace("s", ""));
        Map<String, Object> pod = pod(render("defaults"));

        assertThat(((Number) pod.get("terminationGracePeriodSeconds")).longValue()).isGreaterThan(10 + grace);
    }

    @Test
    void settingsOfTheOperatorAreRenderedBesideTheChartsOwn() throws IOException {
        Map<String, Object> config = parse(configuration(render("gpu-pvc")));

        assertThat(at(config, "ringside", "experts", "arena-bytes")).isEqualTo("40GB");
        assertThat(at(config, "ringside", "model", "path")).isEqualTo("/models/qwen3-next/model-00001-of-00003.gguf");
        assertThat(at(config, "ringside", "gpu", "backend")).isEqualTo("cuda");
        assertThat(at(config, "ringside", "checkpoints", "spill-bytes")).isEqualTo("92160MB");
    }

    @Test
    void theChartCarriesTheAlertsAndTheDashboardOfTheProject() throws IOException {
        assertThat(CHART.resolve("files/alerts.yaml")).hasSameTextualContentAs(Path.of("config/prometheus/alerts.yaml"));
        assertThat(CHART.resolve("files/ringside.json")).hasSameTextualContentAs(Path.of("config/grafana/ringside.json"));
    }

    @Test
    void everyContainerIsLockedDown() throws IOException {
        for (String name : List.of("defaults", "download")) {
            Map<String, Object> pod = pod(render(name));
            assertThat(at(pod, "securityContext", "runAsNonRoot")).isEqualTo(true);
            assertThat(at(pod, "securityContext", "seccompProfile", "type")).isEqualTo("RuntimeDefault");
            assertThat(pod.get("automountServiceAccountToken")).isEqualTo(false);
            assertThat(containers(pod)).isNotEmpty().allSatisfy(container -> {
                assertThat(at(container, "securityContext", "readOnlyRootFilesystem")).isEqualTo(true);
                assertThat(at(container, "securityContext", "allowPrivilegeEscalation")).isEqualTo(false);
                assertThat(at(container, "securityContext", "capabilities", "drop")).isEqualTo(List.of("ALL"));
            });
        }
    }

    private static String render(String name) {
        return template().withNamespace("llm").withValuesFile(VALUES.resolve(name + ".yaml")).call();
    }

    private static TemplateCommand template() {
        return new Helm(CHART).template().withKubeVersion("1.35.0").withName("ringside");
    }

    private static List<String> documents(String rendered) {
        return Stream.of(rendered.split("(?m)^---\\s*$")).filter(document -> document.contains("kind:")).toList();
    }

    private static String configuration(String rendered) {
        String document = documents(rendered).stream().filter(each -> each.contains("application.yaml: |")).findFirst().orElseThrow();
        return at(parse(document), "data", "application.yaml").toString();
    }

    private static Map<String, Object> pod(String rendered) {
        String document = documents(rendered).stream().filter(each -> each.contains("kind: Deployment")).findFirst().orElseThrow();
        return map(at(parse(document), "spec", "template", "spec"));
    }

    private static List<Map<String, Object>> containers(Map<String, Object> pod) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (String kind : List.of("initContainers", "containers")) {
            if (pod.get(kind) instanceof List<?> list) {
                list.forEach(each -> all.add(map(each)));
            }
        }
        return all;
    }

    private static Object at(Map<String, Object> object, String... path) {
        Object value = object;
        for (String key : path) {
            value = map(value).get(key);
        }
        return value;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    private static Map<String, Object> parse(String yaml) {
        return map(new org.yaml.snakeyaml.Yaml(new SafeConstructor(new LoaderOptions())).load(yaml));
    }
}
