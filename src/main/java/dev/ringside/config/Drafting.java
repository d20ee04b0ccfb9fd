package dev.ringside.config;

import dev.ringside.engine.SpeculationOptions;
import dev.ringside.gguf.GgufFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether, and how much, is drafted for a model. */
final class Drafting {

    private static final Logger LOG = LoggerFactory.getLogger(Drafting.class);

    private Drafting() {}

    /** What the settings mean for a file: nothing is drafted when it has no draft (MTP) block. */
    static SpeculationOptions of(RingsideProperties settings, GgufFile file) {
        RingsideProperties.Speculation asked = settings.speculation();
        if (!asked.enabled()) {
            return SpeculationOptions.NONE;
        }
        if (file.metadata().getInt(file.architecture() + ".nextn_predict_layers", 0) <= 0) {
            LOG.info("ringside.speculation.enabled is true, but {} has no draft (MTP) block: nothing is drafted", file.path());
            return SpeculationOptions.NONE;
        }
        return new SpeculationOptions(asked.maxDrafts(), true);
    }
}
