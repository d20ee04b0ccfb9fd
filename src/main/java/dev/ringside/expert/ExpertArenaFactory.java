package dev.ringside.expert;

import dev.ringside.gpu.GpuBackend;

/**
 * Makes the arena that configuration asks for. {@code auto} is pinned where kernels read host memory as fast as their own (the CPU
 * backend, GPUs with unified memory: 176 GB/s pinned against 215 GB/s on a GB10) and device elsewhere (51 against 4,500 GB/s on an H200).
 */
@FunctionalInterface
public interface ExpertArenaFactory {

    /**
     * An arena for the experts of a source.
     *
     * @throws ExpertArenaTooSmallException when the size asked for cannot run one token
     * @throws dev.ringside.gpu.DeviceException when the memory cannot be had; what was taken is freed
     */
    ExpertArena create(GpuBackend backend, ExpertSource source, ExpertOptions options);

    /** Arenas of the kind that {@link ExpertOptions#arena()} names. */
    static ExpertArenaFactory configured() {
        return ExpertArenaFactory::configured;
    }

    private static ExpertArena configured(GpuBackend backend, ExpertSource source, ExpertOptions options) {
        long slotBytes = source.layout().slotBytes();
        int slots = options.capacity().slots(slotBytes, source.totalExperts(), options.expertsPerToken(), options.memoryBudget());
        ArenaKind kind = options.arena();
        if (kind == ArenaKind.AUTO) {
            kind = backend.device().unifiedMemory() ? ArenaKind.PINNED : ArenaKind.DEVICE;
        }
        return kind == ArenaKind.DEVICE
                ? new DeviceArena(backend, source, slots, options)
                : new PinnedArena(backend, source, slots, options.stagingSlotsOrDefault(), "expert arena");
    }
}
