package dev.ringside.config;

import dev.ringside.gguf.GgufFile;
import dev.ringside.model.ModelFingerprint;
import dev.ringside.sequence.CheckpointException;
import dev.ringside.sequence.CheckpointIdentity;
import dev.ringside.sequence.PrefixOptions;
import dev.ringside.sequence.PrefixStore;
import dev.ringside.sequence.SpillDirectory;
import dev.ringside.sequence.StatePool;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the settings of checkpoints mean for one model. */
final class PrefixStores {

    private static final Logger LOG = LoggerFactory.getLogger(PrefixStores.class);
    private static final String DIRECTORY = "ringside.checkpoints.spill-directory";

    private PrefixStores() {}

    /** The store to share prompts through, or null when it is switched off. */
    static @Nullable PrefixStore open(RingsideProperties settings, GgufFile file, StatePool pool) {
        RingsideProperties.Checkpoints checkpoints = settings.checkpoints();
        long memory = checkpoints.memoryBytes().toBytes();
        if (memory == 0) {
            return null;
        }
        if (memory < pool.layout().planeBytes()) {
            LOG.warn("The recurrent state of one sequence takes {}, so no prefix fits into {} (ringside.checkpoints.memory-bytes)",
                    Sizes.text(pool.layout().planeBytes()), Sizes.text(memory));
        }
        CheckpointIdentity identity = new CheckpointIdentity(ModelFingerprint.of(file), settings.kv().type());
        PrefixOptions options = new PrefixOptions(memory, checkpoints.interval(), checkpoints.ttl());
        return new PrefixStore(pool, identity, options, directory(checkpoints));
    }

    /** Null when there is none or it can't be used, which is no reason not to serve. */
    private static @Nullable SpillDirectory directory(RingsideProperties.Checkpoints checkpoints) {
        String set = checkpoints.spillDirectory();
        if (set.isBlank()) {
            return null;
        }
        try {
            return SpillDirectory.open(Path.of(set.strip()), checkpoints.spillBytes().toBytes());
        } catch (InvalidPathException e) {
            throw new InvalidSettingException(DIRECTORY, set, "the path of a directory: " + e.getReason());
        } catch (CheckpointException e) {
            LOG.warn("Prefixes are kept in memory only. {}", e.getMessage());
            return null;
        }
    }
}
