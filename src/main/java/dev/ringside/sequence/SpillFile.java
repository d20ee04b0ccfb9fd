package dev.ringside.sequence;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * A file of a {@link SpillDirectory}.
 *
 * @param bytes its length
 * @param written done when the file is there for good, false when it could not be written
 */
record SpillFile(Path path, long bytes, CompletableFuture<Boolean> written) {}
