package dev.ringside.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class EndpointsTest {

    private static final ServedFiles FILES = new ServedFiles(Path.of("m.gguf"), "hf://org/name/m.gguf", null);

    private final SampleViews sample = new SampleViews();
    private final EngineViews views = sample.views();

    @Test
    void expertsShowTheTierAndEveryLayer() {
        JsonNode json = json(new ExpertsEndpoint(views, sample.experts).experts());

        assertThat(json.path("arena").stringValue()).isEqualTo("device");
        assertThat(json.path("slots").intValue()).isEqualTo(24);
        assertThat(json.path("slotBytes").longValue()).isEqualTo(4096);
        assertThat(json.path("arenaBytes").longValue()).isEqualTo(24 * 4096);
        assertThat(json.path("resident").intValue()).isEqualTo(21);
        assertThat(json.path("hits").longValue()).isEqualTo(90);
        assertThat(json.path("misses").longValue()).isEqualTo(30);
        assertThat(json.path("hitRate").doubleValue()).isEqualTo(0.75);
        assertThat(json.path("evictions").longValue()).isEqualTo(7);
        assertThat(json.path("bytesRead").longValue()).isEqualTo(3000);
        assertThat(json.path("layers").size()).isEqualTo(2);
        assertThat(json.path("layers").get(1).path("misses").longValue()).isEqualTo(20);
    }

    @Test
    void oneLayerCanBeAskedFor() {
        assertThat(new ExpertsEndpoint(views, sample.experts).layer(1)).extracting(ExpertsEndpoint.LayerDescriptor::resident).isEqualTo(11);
        assertThat(new ExpertsEndpoint(views, sample.experts).layer(2)).as("a layer the model does not have").isNull();
    }

    @Test
    void checkpointsShowSequenceState() {
        assertThat(json(new CheckpointsEndpoint(views).checkpoints()).toString())
                .isEqualTo("{\"bytes\":24576,\"budgetBytes\":557056,\"sequences\":3,"
                        + "\"maxSequences\":8,\"pagesUsed\":12,\"pagesTotal\":512,\"pageTokens\":64,\"pageBytes\":1024,\"planesPerSequence\":2,\"planeBytes\":2048,"
                        + "\"suspended\":2,\"entries\":21,\"memoryBytes\":8192,\"sharedPages\":4,\"sharedPageBytes\":4096,\"prefixPages\":19,\"keptPages\":7,"
                        + "\"hits\":31,\"misses\":32,\"tokensSaved\":3300,\"evictions\":34,\"failures\":35,\"spillEntries\":36,\"spillBytes\":3700000,"
                        + "\"spillRefused\":38,\"oldestSeconds\":390,\"prefixes\":[{\"id\":\"ab12\",\"tokens\":512,\"bytes\":4096,\"hits\":5,\"idleSeconds\":60,"
                        + "\"inMemory\":true,\"inFile\":false}]}");
    }

    @Test
    void prefixesCanBeDroppedOneByOneOrAllTogether() {
        CheckpointsEndpoint endpoint = new CheckpointsEndpoint(views);

        assertThat(endpoint.dropAll()).isEqualTo(new CheckpointsEndpoint.Dropped(2));
        assertThat(endpoint.drop("ab12").getBody()).isEqualTo(new CheckpointsEndpoint.Dropped(1));
        assertThat(endpoint.drop("ffff").getStatus()).isEqualTo(404);
    }

    @Test
    void theSchedulerShowsRequestsAndTheEngine() {
        JsonNode json = json(new SchedulerEndpoint(views).scheduler());

        assertThat(json.path("active").intValue()).isEqualTo(3);
        assertThat(json.path("queued").intValue()).isEqualTo(5);
        assertThat(json.path("rejected").longValue()).isEqualTo(11);
        assertThat(json.path("queuedTokens").longValue()).isEqualTo(1500);
        assertThat(json.path("breaker").stringValue()).isEqualTo("closed");
        assertThat(json.path("engine").path("promptBudget").intValue()).isEqualTo(48);
        assertThat(json.path("engine").path("steps").longValue()).isEqualTo(1234);
        assertThat(json.path("engine").path("lastStepMillis").doubleValue()).isEqualTo(2.5);
    }

    @Test
    void theDeviceShowsItsMemory() {
        JsonNode json = json(new DeviceEndpoint(views).device());

        assertThat(json.path("backend").stringValue()).isEqualTo("cpu");
        assertThat(json.path("memory").path("arenaBytes").longValue()).isEqualTo(200);
    }

    @Test
    void theModelIsOutOfServiceUntilItIsWarm() {
        assertThat(new ModelHealthIndicator(views, FILES).health().getStatus()).isEqualTo(Status.UP);
        sample.ready = false;
        assertThat(new ModelHealthIndicator(views, FILES).health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
    }

    @Test
    void theDeviceIsDownAfterSeveralFailedSteps() {
        sample.failedSteps = 1;
        assertThat(new DeviceHealthIndicator(views).health().getStatus()).as("one failure may be the request's own").isEqualTo(Status.UP);
        sample.failedSteps = 3;
        Health health = new DeviceHealthIndicator(views).health();
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails()).containsEntry("lastFailure", "the device is gone");
    }

    @Test
    void afterAPauseTheDeviceIsTriedAgain() {
        AtomicLong now = new AtomicLong();
        DeviceHealthIndicator indicator = new DeviceHealthIndicator(views, now::get);
        sample.failedSteps = 3;
        assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
        now.addAndGet(DeviceHealthIndicator.PAUSE.toNanos());
        assertThat(indicator.health().getStatus()).as("without requests it could never get well").isEqualTo(Status.UP);
        sample.failedSteps = 4;
        assertThat(indicator.health().getStatus()).as("the trial failed").isEqualTo(Status.DOWN);
        now.addAndGet(DeviceHealthIndicator.PAUSE.toNanos() - 1);
        assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
        sample.failedSteps = 0;
        assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void aDeviceWithAFaultIsDownWithoutAFailedStep() {
        sample.fault = "illegal address";

        Health health = new DeviceHealthIndicator(views).health();
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails()).containsEntry("fault", "illegal address");
    }

    @Test
    void theBreakerIsOutOfServiceWhileItIsOpen() {
        assertThat(new BreakerHealthIndicator(views).health().getStatus()).isEqualTo(Status.UP);
        sample.breaker = "open";
        assertThat(new BreakerHealthIndicator(views).health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        sample.breaker = "half_open";
        assertThat(new BreakerHealthIndicator(views).health().getStatus()).as("some requests are tried").isEqualTo(Status.UP);
    }

    @Test
    void aStuckStepTakesReadinessDownUntilItEnds() {
        WatchdogHealthIndicator indicator = new WatchdogHealthIndicator(views);
        sample.watchdog.look();
        assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
        sample.stepNanos = 61_000_000_000L;
        sample.watchdog.look();
        assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
        sample.stepNanos = 0;
        sample.watchdog.look();
        assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
        assertThat(indicator.health().getDetails()).containsEntry("stuckSteps", 1L);
    }

    @Test
    void aDeadEngineIsDown() {
        assertThat(new EngineHealthIndicator(views).health().getStatus()).isEqualTo(Status.UP);
        sample.alive = false;
        assertThat(new EngineHealthIndicator(views).health().getStatus()).isEqualTo(Status.DOWN);
    }

    @Test
    void infoNamesTheModel() {
        Info.Builder info = new Info.Builder();
        new ModelInfoContributor(views).contribute(info);
        assertThat(info.build().getDetails().toString()).contains("architecture=qwen4exp", "id=sample", "trainedContextLength=8192");
    }

    private static JsonNode json(Object value) {
        return JsonMapper.shared().valueToTree(value);
    }
}
