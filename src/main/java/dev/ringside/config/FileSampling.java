package dev.ringside.config;

import dev.ringside.api.SamplingDefaults;
import dev.ringside.gguf.GgufException;
import dev.ringside.gguf.GgufMetadata;
import dev.ringside.sampling.InvalidSamplingException;
import dev.ringside.sampling.SamplingParameters;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sampling a model's makers recommend: keys {@code general.sampling.*} of its file. */
final class FileSampling {

    private static final Logger LOG = LoggerFactory.getLogger(FileSampling.class);
    private static final String PREFIX = "general.sampling.";

    private FileSampling() {}

    static SamplingDefaults of(GgufMetadata metadata) {
        SamplingDefaults plain = SamplingDefaults.plain();
        try {
            SamplingDefaults found = new SamplingDefaults(metadata.getFloat(PREFIX + "temp", plain.temperature()),
                    metadata.getFloat(PREFIX + "top_p", plain.topP()), metadata.getInt(PREFIX + "top_k", plain.topK()),
                    metadata.getFloat(PREFIX + "min_p", plain.minP()),
                    metadata.getFloat(PREFIX + "penalty_repeat", plain.repetitionPenalty()));
            SamplingParameters checked = new SamplingParameters(found.temperature(), found.topP(), found.topK(), found.minP(), 0, 0,
                    found.repetitionPenalty(), 0, Map.of());
            LOG.debug("Default sampling of the model: {}", checked);
            return found;
        } catch (GgufException | InvalidSamplingException e) {
            LOG.warn("The model file's default sampling can't be used, plain sampling is the default instead: {}", e.getMessage());
            return plain;
        }
    }
}
