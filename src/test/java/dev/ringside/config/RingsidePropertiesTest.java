package dev.ringside.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.expert.ArenaKind;
import dev.ringside.expert.ExpertCapacity;
import dev.ringside.expert.ExpertEviction;
import dev.ringside.gpu.KvType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.unit.DataSize;

class RingsidePropertiesTest {

    private static final Path DOCUMENTED = Path.of("config/application.yaml");

    private final ApplicationContextRunner context = new ApplicationContextRunner().withUserConfiguration(Bound.class);

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(RingsideProperties.class)
    @Import(SettingConverters.class)
    static class Bound {}

    @Test
    void everythingHasADefault() {
        settings(context, settings -> {
            assertThat(settings.model().path()).isNull();
            assertThat(settings.experts().arena()).isEqualTo(ArenaKind.AUTO);
            assertThat(settings.experts().arenaBytes()).isEqualTo(new ExpertCapacity.Auto());
            assertThat(settings.experts().eviction()).isEqualTo(ExpertEviction.DEFAULT);
            assertThat(settings.kv().type()).isEqualTo(KvType.F16);
            assertThat(settings.api().keys()).isEmpty();
            assertThat(settings.api().maxBodyBytes()).isEqualTo(DataSize.ofMegabytes(8));
        });
    }

    @Test
    void everySettingCanBeChanged() {
        settings(context.withPropertyValues("ringside.model.path=/m.gguf", "ringside.gpu.backend=cpu", "ringside.cpu.threads=3",
                "ringside.experts.arena=pinned", "ringside.experts.arena-bytes=25%", "ringside.experts.eviction=lru",
                "ringside.kv.type=f32",
                "ringside.state.memory-bytes=2GB", "ringside.scheduler.max-active=2", "ringside.api.keys=a,b",
                "ringside.api.sse-comment-interval=0"), settings -> {
                    assertThat(settings.model().path()).isEqualTo("/m.gguf");
                    assertThat(settings.gpu().backend()).isEqualTo(RingsideProperties.Backend.CPU);
                    assertThat(settings.cpu().threads()).isEqualTo(3);
                    assertThat(settings.experts().arena()).isEqualTo(ArenaKind.PINNED);
                    assertThat(settings.experts().arenaBytes()).isEqualTo(new ExpertCapacity.Percent(25, "25%"));
                    assertThat(settings.experts().eviction()).isEqualTo(ExpertEviction.LRU);
                    assertThat(settings.kv().type()).isEqualTo(KvType.F32);
                    assertThat(settings.state().memoryBytes()).isEqualTo(DataSize.ofGigabytes(2));
                    assertThat(settings.scheduler().maxActive()).isEqualTo(2);
                    assertThat(settings.api().keys()).containsExactly("a", "b");
                    assertThat(settings.api().sseCommentInterval()).isZero();
                });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "ringside.cpu.threads|-1|1024",
        "ringside.cpu.threads|5000|1024",
        "ringside.experts.staging-slots|3|even",
        "ringside.experts.staging-slots|-2|even",
        "ringside.experts.reader-threads|0|256",
        "ringside.experts.arena-bytes|5XB|such as 25%",
        "ringside.experts.arena-bytes|0%|such as 25%",
        "ringside.experts.eviction|fifo|window:8",
        "ringside.kv.page-tokens|0|4096",
        "ringside.scheduler.max-active|0|1024",
        "ringside.scheduler.queue-capacity|-1|100000",
        "ringside.scheduler.step-tokens|4|max-active, which is 8",
        "ringside.scheduler.step-tokens|70000|65536",
        "ringside.scheduler.queue-tokens|-1|no limit",
        "ringside.api.rate-limit.requests-per-minute|-1|no limit",
        "ringside.api.rate-limit.tokens-per-minute|-1|no limit",
        "ringside.model.context-length|-1|all the model was made for",
        "ringside.speculation.max-drafts|9|1 to 8",
        "ringside.api.max-body-bytes|1B|1KB to 1GB",
        "ringside.chat.tool-format|xml|one of auto, json-tags, xml-tags",
        "ringside.chat.reasoning-format|THINK|one of auto, none, think-tags",
        "ringside.api.max-body-bytes|2GB|1KB to 1GB",
        "ringside.api.body-timeout|0s|1s to 1h",
        "ringside.api.sse-comment-interval|5ms|100ms to 1h",
        "ringside.api.cors.allowed-origins|chat.example.com|scheme://host",
        "ringside.api.cors.max-age|2d|0 to 1d",
        "ringside.api.stored-responses.memory-bytes|-1MB|64MB",
        "ringside.api.stored-responses.ttl|0s|1s to 30d",
        "ringside.state.memory-bytes|-5MB|2GB",
        "ringside.checkpoints.memory-bytes|-1MB|keep no prefixes",
        "ringside.checkpoints.interval|0|1048576",
        "ringside.checkpoints.ttl|0s|1s to 30d",
        "ringside.checkpoints.spill-bytes|-1MB|16GB",
        "ringside.gpu.backend|metal|cuda",
        "ringside.experts.arena|disk|pinned",
        "ringside.kv.type|q4|f32"})
    void aWrongValueIsRefusedWithPropertyValueAndWhatIsAllowed(String property, String value, String allowed) {
        context.withPropertyValues(property + "=" + value).run(started -> {
            assertThat(started).hasFailed();
            FailureAnalysis analysis = analyze(started.getStartupFailure(), property, value);
            assertThat(analysis.getDescription()).containsIgnoringCase(property).contains(value).containsIgnoringCase(allowed);
            assertThat(analysis.getAction()).isNotBlank();
        });
    }

    @Test
    void aWrongKeyIsRefusedWithoutBeingShown() {
        context.withPropertyValues("ringside.api.keys=fine,x=sha256:secret").run(started -> {
            assertThat(started).hasFailed();
            FailureAnalysis analysis = analyze(started.getStartupFailure(), "ringside.api.keys", "fine,x=sha256:secret");
            assertThat(analysis.getDescription() + analysis.getAction()).contains("ringside.api.keys", "number 2").doesNotContain("secret");
        });
    }

    @Test
    void aMisspeltNameIsRefusedByName() {
        context.withPropertyValues("ringside.experts.arena-byte=8GB").run(started -> {
            assertThat(started).hasFailed();
            assertThat(analyze(started.getStartupFailure(), "ringside.experts.arena-byte", "8GB").getDescription())
                    .contains("ringside.experts.arena-byte");
        });
    }

    @Test
    void theDocumentedFileSetsEveryDefault() {
        settings(context, defaults -> settings(context.withInitializer(new ConfigDataApplicationContextInitializer())
                .withPropertyValues("spring.config.location=file:./config/application.yaml"), documented -> {
                    assertThat(documented.model().path()).as("the file was read").isEmpty();
                    assertThat(documented.model().contextLength()).isEqualTo(defaults.model().contextLength());
                    assertThat(documented).usingRecursiveComparison().ignoringFields("model").isEqualTo(defaults);
                }));
    }

    @Test
    void everySettingIsDocumentedAndNothingElse() {
        YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
        yaml.setResources(new FileSystemResource(DOCUMENTED));
        Properties documented = yaml.getObject();

        List<String> written = documented.keySet().stream().map(Object::toString).toList();
        assertThat(written).containsExactlyInAnyOrderElementsOf(names("ringside", RingsideProperties.class));
    }

    @Test
    void everyDocumentedSettingHasACommentWithDefaultOrRange() throws IOException {
        TreeMap<String, String> comments = new TreeMap<>();
        StringBuilder comment = new StringBuilder();
        for (String line : Files.readAllLines(DOCUMENTED)) {
            String text = line.strip();
            if (text.startsWith("#")) {
                comment.append(text).append('\n');
            } else {
                if (line.startsWith("    ") && text.contains(":")) {
                    comments.put(text.substring(0, text.indexOf(':')), comment.toString());
                }
                comment.setLength(0);
            }
        }
        assertThat(comments).isNotEmpty().allSatisfy((name, text) -> assertThat(text).as(name).containsAnyOf("Range:", "Default:"));
    }

    private static List<String> names(String prefix, Class<?> type) {
        List<String> names = new ArrayList<>();
        for (var component : type.getRecordComponents()) {
            String name = prefix + "." + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            if (component.getType().isRecord() && component.getType().getEnclosingClass() == RingsideProperties.class) {
                names.addAll(names(name, component.getType()));
            } else {
                names.add(name);
            }
        }
        return names;
    }

    private static void settings(ApplicationContextRunner runner, Consumer<RingsideProperties> check) {
        runner.run(started -> {
            assertThat(started).hasNotFailed();
            check.accept(started.getBean(RingsideProperties.class));
        });
    }

    private static FailureAnalysis analyze(Throwable failure, String property, String value) {
        Environment environment = new MockEnvironment().withProperty(property, value);
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class,
                        ArgumentResolver.of(Environment.class, environment).and(BeanFactory.class, new DefaultListableBeanFactory()),
                        // Spring Boot's analyzers of libraries that are not here are left out, as it does itself.
                        (type, name, notLoaded) -> {
                        })
                .stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError(failure));
    }
}
