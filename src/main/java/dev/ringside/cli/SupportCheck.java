package dev.ringside.cli;

import dev.ringside.expert.ExpertOptions;
import dev.ringside.gguf.GgufException;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.host.HostBackend;
import dev.ringside.model.LoadedModel;
import dev.ringside.model.ModelException;
import dev.ringside.model.ModelLoader;
import dev.ringside.model.ModelOptions;

/**
 * Asks the loader itself whether it takes a file, rather than keeping a second list of what it knows. The load stops where expert memory
 * would be taken, when the architecture, its keys and the shapes of its experts were accepted: no weights are read.
 */
final class SupportCheck {

    private static final int PAGE_TOKENS = 64;

    private SupportCheck() {}

    static ModelReport.Support of(GgufFile file) {
        try (GpuBackend backend = HostBackend.create(1)) {
            ModelOptions options = new ModelOptions(1, 1, KvType.F16, PAGE_TOKENS, ExpertOptions.defaults(1, 1));
            try (LoadedModel loaded = ModelLoader.load(file, backend, (device, source, asked) -> {
                throw new Accepted();
            }, options)) {
                return new ModelReport.Support(true, null);
            }
        } catch (Accepted accepted) {
            return new ModelReport.Support(true, null);
        } catch (ModelException | GgufException refused) {
            return new ModelReport.Support(false, withoutFile(String.valueOf(refused.getMessage()), file));
        } catch (DeviceException missing) {
            return new ModelReport.Support(null, missing.getMessage());
        }
    }

    private static String withoutFile(String message, GgufFile file) {
        String start = file.path() + ": ";
        return message.startsWith(start) ? message.substring(start.length()) : message;
    }

    /** The loader got as far as asking for an arena. */
    private static final class Accepted extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Accepted() {
            super("accepted", null, false, false);
        }
    }
}
