package dev.ringside.model;

import java.nio.file.Path;

/** A file is a valid GGUF file but not a model this engine can run. The message names file, key or tensor, expected and found. */
public final class ModelException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ModelException(Path file, String what, String problem) {
        super(file + ": " + what + ": " + problem);
    }
}
