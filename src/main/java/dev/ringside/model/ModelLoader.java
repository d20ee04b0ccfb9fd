package dev.ringside.model;

import dev.ringside.expert.ExpertArenaFactory;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.GpuBackend;
import java.util.List;

/** The registry of architectures: one file each. */
public final class ModelLoader {

    private static final List<Architecture> ARCHITECTURES = List.of(Qwen3Moe.ARCHITECTURE, QwenHybrid.QWEN3_NEXT, QwenHybrid.QWEN35_MOE,
            QwenHybrid.QWEN35, new Qwen4Exp(), Llama.ARCHITECTURE);

    private ModelLoader() {}

    /**
     * Loads the model of a file for a device.
     *
     * @param file stays open as long as the model: weights may be read in place
     * @throws ModelException when the architecture is unknown, or a key or tensor is missing or misshapen
     * @throws dev.ringside.expert.ExpertArenaTooSmallException when the arena can't hold one step's experts
     */
    public static LoadedModel load(GgufFile file, GpuBackend backend, ModelOptions options) {
        return load(file, backend, ExpertArenaFactory.configured(), options);
    }

    /** As above, with expert arenas of a factory's making. */
    public static LoadedModel load(GgufFile file, GpuBackend backend, ExpertArenaFactory arenas, ModelOptions options) {
        String name = file.architecture();
        for (Architecture architecture : ARCHITECTURES) {
            if (architecture.name().equals(name)) {
                return prewarmed(architecture.load(file, backend, arenas, options), options.progress());
            }
        }
        if (name.equals("qwen4_exp") || file.metadata().keys().stream().anyMatch(key -> key.startsWith("q38."))) {
            throw unsupported(file, name, "this is the q38 dialect, whose tensors have other names and layouts; use a file converted for "
                    + "architecture " + Qwen4ExpConfig.ARCHITECTURE);
        }
        throw unsupported(file, name, "supported: " + String.join(", ", supported()));
    }

    /** Brings in the experts that an earlier run found worth having, where there is a list of them. */
    private static LoadedModel prewarmed(LoadedModel loaded, LoadProgress.Listener progress) {
        try {
            if (loaded.experts() != null) {
                loaded.experts().prewarm(loaded.model().stream(),
                        (done, total) -> progress.progressed(new LoadProgress(LoadProgress.Phase.EXPERTS, done, total, 0, 0)));
            }
            return loaded;
        } catch (RuntimeException | Error ex) {
            Closing.after(ex, loaded);
            throw ex;
        }
    }

    /** The architectures that can be loaded. */
    public static List<String> supported() {
        return ARCHITECTURES.stream().map(Architecture::name).toList();
    }

    private static ModelException unsupported(GgufFile file, String architecture, String remedy) {
        return new ModelException(file.path(), "architecture '" + architecture + "'", "is not supported; " + remedy);
    }
}
