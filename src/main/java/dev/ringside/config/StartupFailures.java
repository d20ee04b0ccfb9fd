package dev.ringside.config;

import dev.ringside.expert.ExpertArenaTooSmallException;
import dev.ringside.gguf.GgufException;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.DeviceOutOfMemoryException;
import dev.ringside.model.ModelException;
import dev.ringside.tokenizer.TokenizerException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What a part says when it can't start, together with what the user can do about it. */
final class StartupFailures {

    private static final String DEVICE_ACTION = "Follow the description, or set ringside.gpu.backend to another device.";

    private StartupFailures() {}

    /** A device that can't be used. */
    static StartupException explain(DeviceException failure) {
        return new StartupException(message(failure), DEVICE_ACTION, failure);
    }

    /** The failure as the user should see it; what has no known remedy comes back as it is, with its stack trace. */
    static RuntimeException explain(RuntimeException failure, Path model) {
        @Nullable String action = switch (failure) {
            case GgufException _ -> "Check that " + ModelFile.PROPERTY + " names a whole GGUF file; if it does, download the file again.";
            case ModelException _ -> "Set " + ModelFile.PROPERTY + " to a model of a supported architecture (docs/models.md).";
            case TokenizerException _ -> "Set " + ModelFile.PROPERTY + " to a model with a supported tokenizer (docs/models.md).";
            case ExpertArenaTooSmallException _ -> "Set " + ExpertArenaTooSmallException.PROPERTY + " as the description says.";
            case DeviceOutOfMemoryException _ ->
                "Lower ringside.experts.arena-bytes, ringside.state.memory-bytes or ringside.scheduler.max-active.";
            case DeviceException _ -> DEVICE_ACTION;
            // These name a property themselves.
            case IllegalArgumentException _ when message(failure).startsWith("ringside.") -> "Change the setting as the description says.";
            default -> null;
        };
        return action == null ? failure : new StartupException(text(failure, model), action, failure);
    }

    private static String text(RuntimeException failure, Path model) {
        String message = message(failure);
        return message.contains(model.toString()) ? message : message + "\n\n    Model: " + model;
    }

    private static String message(RuntimeException failure) {
        return String.valueOf(failure.getMessage());
    }
}
