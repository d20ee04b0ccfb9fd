package dev.ringside.ops;

import dev.ringside.engine.EngineSnapshot;
import dev.ringside.expert.ExpertSnapshot;
import dev.ringside.gpu.DeviceInfo;
import dev.ringside.gpu.DeviceMemory;
import dev.ringside.model.ModelInfo;
import dev.ringside.sequence.PrefixSnapshot;
import dev.ringside.sequence.StateSnapshot;
import dev.ringside.serving.SchedulerSnapshot;
import dev.ringside.serving.Watchdog;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What operators may read of a running engine; every view is a published snapshot and safe from any thread.
 *
 * @param modelId the model's name in requests
 * @param contextLength most tokens of a sequence as configured
 * @param ready whether the model was warmed up and takes requests
 * @param prefixOperations what can be done with prefixes
 * @param deviceFault what made the device unusable, or null
 * @param watchdog notices steps that do not end
 */
public record EngineViews(String modelId, ModelInfo model, int contextLength, DeviceInfo device, BooleanSupplier ready,
        Supplier<DeviceMemory> memory, Supplier<ExpertSnapshot> experts, Supplier<StateSnapshot> state, Supplier<EngineSnapshot> engine,
        Supplier<SchedulerSnapshot> scheduler, Supplier<PrefixSnapshot> prefixes, PrefixOperations prefixOperations,
        Supplier<@Nullable String> deviceFault, Watchdog watchdog) {}
