package dev.ringside.ops;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Files of a running server.
 *
 * @param model the file that is served, of a split model the part that was named
 * @param source where it came from, without secrets: a path, an address, or {@code built-in}
 * @param spillDirectory where prefixes go that leave memory, or null
 */
public record ServedFiles(Path model, String source, @Nullable Path spillDirectory) {}
