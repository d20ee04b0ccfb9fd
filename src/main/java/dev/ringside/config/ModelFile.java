package dev.ringside.config;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Which file to serve. */
final class ModelFile {

    static final String PROPERTY = "ringside.model.path";

    private ModelFile() {}

    /**
     * @throws StartupException when the file that is set does not exist
     */
    static Path of(RingsideProperties settings) {
        String set = settings.model().path();
        if (set == null || set.isBlank()) {
            return BuiltInModel.standard().locate();
        }
        Path path;
        try {
            path = Path.of(set.strip());
        } catch (InvalidPathException e) {
            throw new InvalidSettingException(PROPERTY, set, "the path of a GGUF file: " + e.getReason());
        }
        if (!Files.exists(path)) {
            throw new StartupException("The model file " + path.toAbsolutePath() + " does not exist (" + PROPERTY + ").",
                    "Set " + PROPERTY + " or RINGSIDE_MODEL_PATH to a GGUF file, or leave it out to serve the built-in demo model.", null);
        }
        return path;
    }
}
