package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.result.method.RequestMappingInfo;
import org.yaml.snakeyaml.Yaml;

/** The OpenAPI document and the code say the same. */
class OpenApiTest {

    private static final Set<String> METHODS = Set.of("get", "post", "delete", "put", "patch");

    private static ApiServer server;
    private static Map<String, Object> document;

    @BeforeAll
    static void start() throws IOException {
        server = ApiServer.start();
        try (InputStream in = OpenApiTest.class.getResourceAsStream("/openapi.yaml")) {
            document = new Yaml().load(in);
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void everyPathAndMethodOfTheCodeIsInTheDocumentAndNoOther() {
        Set<String> documented = new TreeSet<>();
        at("paths").forEach(
                (path, item) -> child(item).keySet().stream().filter(METHODS::contains).forEach(m -> documented.add(m + " " + path)));
        Set<String> served = new TreeSet<>();
        for (RequestMappingInfo mapping : server.mappings()) {
            String method = mapping.getMethodsCondition().getMethods().iterator().next().name().toLowerCase(java.util.Locale.ROOT);
            List<String> paths = mapping.getPatternsCondition().getPatterns().stream()
                    .map(pattern -> method + " " + pattern.getPatternString().replace("{*", "/{").replace("//", "/")).toList();
            assertThat(paths).as("with and without /v1").hasSize(2);
            assertThat(paths.stream().map(path -> path.replace(" /v1/", " /")).distinct()).hasSize(1);
            List<String> found = paths.stream().filter(documented::contains).toList();
            assertThat(found).as("documented once: %s", paths).hasSize(1);
            served.add(found.getFirst());
        }
        assertThat(documented).isEqualTo(served);
    }

    @Test
    void everyControllerOfTheInterfaceIsLookedAt() {
        var scanner = new ClassPathScanningCandidateComponentProvider(false);
        scanner.addIncludeFilter(new AnnotationTypeFilter(RestController.class));

        assertThat(scanner.findCandidateComponents("dev.ringside.api")).extracting(BeanDefinition::getBeanClassName)
                .containsExactlyInAnyOrderElementsOf(server.controllers());
    }

    static Stream<Arguments> requests() {
        return Stream.of(Arguments.of("ChatCompletionRequest", accepted(ChatFields.ALL)),
                Arguments.of("CompletionRequest", accepted(CompletionFields.ALL)),
                Arguments.of("ResponseRequest", accepted(ResponseFields.ALL)),
                Arguments.of("MessageRequest", accepted(MessageFields.ALL)),
                Arguments.of("TokenizeRequest", TokenizeController.TOKENIZE.names()),
                Arguments.of("DetokenizeRequest", TokenizeController.DETOKENIZE.names()));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void everyFieldThatARequestTakesIsInTheDocument(String schema, Set<String> fields) {
        assertThat(properties(schema).keySet()).containsExactlyInAnyOrderElementsOf(fields);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "ChatCompletion|/v1/chat/completions|{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"service_tier\":\"flex\"}",
        "Completion|/v1/completions|{\"prompt\":\"Hi\"}",
        "Response|/v1/responses|{\"input\":\"Hi\"}",
        "MessageAnswer|/v1/messages|{\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}",
        "Error|/v1/chat/completions|{}",
        "MessageError|/v1/messages|{}"})
    void everyFieldOfAnAnswerIsInTheDocument(String schema, String path, String body) {
        HttpResponse<String> response = server.post(path, body);

        assertThat(ApiServer.json(response).propertyNames()).as(response.body()).isSubsetOf(properties(schema).keySet());
    }

    @Test
    void everyReferenceLeadsSomewhere() {
        List<String> references = new ArrayList<>();
        collect(document, references);

        assertThat(references).isNotEmpty().allSatisfy(reference -> {
            Object target = document;
            for (String step : List.of(reference.substring(2).split("/", -1))) {
                target = child(target).get(step);
            }
            assertThat(target).as(reference).isNotNull();
        });
    }

    @Test
    void everySchemaIsUsed() {
        List<String> references = new ArrayList<>();
        collect(document, references);

        assertThat(at("components", "schemas").keySet())
                .allSatisfy(name -> assertThat(references).contains("#/components/schemas/" + name));
    }

    @Test
    void operationsHaveNamesOfTheirOwn() {
        Set<Object> ids = new HashSet<>();
        at("paths").values().forEach(item -> child(item).forEach((method, operation) -> {
            if (METHODS.contains(method)) {
                assertThat(ids.add(child(operation).get("operationId"))).as("%s", operation).isTrue();
            }
        }));
    }

    @Test
    void theDocumentIsServed() {
        HttpResponse<String> response = server.get("/openapi.yaml");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type")).hasValue("application/yaml");
        assertThat(response.body()).startsWith("openapi: 3.1.0");
    }

    private static Set<String> accepted(List<RequestField> fields) {
        Set<String> names = new TreeSet<>();
        fields.stream().filter(field -> field.support() != RequestField.Support.REFUSED).forEach(field -> names.add(field.name()));
        return names;
    }

    private static Map<String, Object> properties(String schema) {
        return at("components", "schemas", schema, "properties");
    }

    private static Map<String, Object> at(String... path) {
        Map<String, Object> node = document;
        for (String step : path) {
            node = child(node.get(step));
        }
        return node;
    }

    @SuppressWarnings("unchecked") // keys of YAML maps in this document are strings
    private static Map<String, Object> child(Object node) {
        return (Map<String, Object>) node;
    }

    private static void collect(Object node, List<String> references) {
        if (node instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                if ("$ref".equals(key)) {
                    references.add(value.toString());
                } else {
                    collect(value, references);
                }
            });
        } else if (node instanceof List<?> list) {
            list.forEach(each -> collect(each, references));
        }
    }
}
