package dev.ringside.ops;

import dev.ringside.engine.EngineSnapshot;
import dev.ringside.engine.SpeculationSnapshot;
import dev.ringside.expert.ExpertSnapshot;
import dev.ringside.gpu.DeviceInfo;
import dev.ringside.gpu.DeviceMemory;
import dev.ringside.model.ModelInfo;
import dev.ringside.sequence.PrefixInfo;
import dev.ringside.sequence.PrefixSnapshot;
import dev.ringside.sequence.StateSnapshot;
import dev.ringside.serving.SchedulerSnapshot;
import dev.ringside.serving.Watchdog;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A server at one moment, with a different number everywhere. */
final class SampleViews {

    boolean ready = true;
    boolean alive = true;
    int failedSteps;
    String breaker = "closed";
    @Nullable
    String fault;
    long stepNanos;
    final Watchdog watchdog = new Watchdog(() -> stepNanos, Duration.ofSeconds(60));

    final PrefixOperations operations = new PrefixOperations() {
        @Override
        public List<PrefixInfo> list(int most) {
            return List.of(new PrefixInfo("ab12", 512, 4096, 5, 60, true, false));
        }

        @Override
        public int drop(@Nullable String id) {
            return id == null ? 2 : id.equals("ab12") ? 1 : 0;
        }
    };

    final SampleExperts experts = new SampleExperts();

    EngineViews views() {
        ModelInfo model = new ModelInfo("qwen4exp", "Sample", 8192, 1000, 64, 2, 1, 16, 4, 5_000_000, 4_000_000);
        DeviceInfo device = new DeviceInfo("cpu", "Sample CPU", "2 threads", true, 1L << 34);
        ExpertSnapshot.Layer first = new ExpertSnapshot.Layer(0, 16, 10, 30, 10, 2, 1000, 3, 4_000_000, 0);
        ExpertSnapshot.Layer second = new ExpertSnapshot.Layer(1, 16, 11, 60, 20, 5, 2000, 4, 6_000_000, 1);
        return new EngineViews("sample", model, 4096, device, () -> ready, () -> new DeviceMemory(100, 200, 300, 400),
                () -> new ExpertSnapshot("device", 24, 4096, 32, 21, 90, 30, 7, 3000, 7, 10_000_000, 1, List.of(first, second)),
                () -> new StateSnapshot(3, 8, 64, 1024, 12, 512, 4, 7, 2, 2048, 24_576, 557_056),
                () -> new EngineSnapshot(3, 1, 2, 6, 8, 1234, 555, 666, 9, 2_500_000, 2, failedSteps,
                        failedSteps > 0 ? "the device is gone" : null, alive, 0, 48, SpeculationSnapshot.NONE),
                () -> new SchedulerSnapshot(3, 5, 0, 8, 64, true, 11, 12, 13, 14, 1500, 9000, breaker),
                () -> new PrefixSnapshot(21, 8192, 19, 31, 32, 3300, 34, 35, 36, 3_700_000, 38, 390), operations, () -> fault, watchdog);
    }
}
