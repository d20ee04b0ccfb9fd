package dev.ringside.config;

import dev.ringside.engine.SpeculationOptions;
import dev.ringside.expert.ExpertOptions;
import dev.ringside.expert.ExpertTuning;
import dev.ringside.expert.ReadOptions;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.GgufMetadata;
import dev.ringside.gpu.DeviceInfo;
import dev.ringside.gpu.KvType;
import dev.ringside.model.ModelOptions;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What the settings mean for one model on one device. */
final class ModelSettings {

    // The other half is for sequence state, activations and, on the CPU, the page cache that experts are read through.
    private static final int ARENA_SHARE = 2;
    private static final long EVICTION_SEED = 1;

    private ModelSettings() {}

    static ModelOptions of(RingsideProperties settings, GgufFile file, DeviceInfo device) {
        InvalidSettingException.require(settings.kv().type() != KvType.Q8 || device.backend().equals("cpu"), "ringside.kv.type",
                settings.kv().type(),
                "must be f16 or f32 on " + device.backend() + ", whose kernels have no q8");
        RingsideProperties.Experts experts = settings.experts();
        GgufMetadata metadata = file.metadata();
        // Files without experts, or without the key, are refused by the loader, which knows the architectures.
        int perToken = Math.max(1, metadata.getInt(file.architecture() + ".expert_used_count", 1));
        ExpertOptions expertOptions = new ExpertOptions(experts.arena(), experts.arenaBytes(), perToken, device.totalBytes() / ARENA_SHARE,
                experts.stagingSlots(), experts.readerThreads(), experts.eviction(), EVICTION_SEED, tuning(experts));
        SpeculationOptions drafts = Drafting.of(settings, file);
        int sequences = settings.scheduler().maxActive();
        return new ModelOptions(settings.scheduler().stepTokens(device), drafts.logitRows(sequences), settings.kv().type(),
                settings.kv().pageTokens(), expertOptions, drafts.maxDrafts() > 0);
    }

    private static ExpertTuning tuning(RingsideProperties.Experts experts) {
        ReadOptions reads = ReadOptions.DEFAULT.withDirect(experts.directReads()).withKeepPageCache(experts.keepPageCache());
        return new ExpertTuning(reads, experts.hostTierBytes(), experts.lookahead(), file(experts.hotListFile()),
                file(experts.traceFile()));
    }

    private static @Nullable Path file(String name) {
        return name.isBlank() ? null : Path.of(name);
    }
}
