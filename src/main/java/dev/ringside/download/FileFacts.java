package dev.ringside.download;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a file, kept beside it from one run to the next.
 *
 * @param source address without secrets
 * @param size bytes, or -1
 * @param etag the server's strong validator, or null
 * @param sha256 of the whole file: what the server says while it is being fetched, what was computed afterwards; or null
 * @param commit of the repository, or null
 */
record FileFacts(String source, long size, @Nullable String etag, @Nullable String sha256, @Nullable String commit) {

    static final long UNKNOWN = -1;

    /** Null when there are none that can be read. */
    static @Nullable FileFacts read(Path file) {
        if (!Files.isRegularFile(file)) {
            return null;
        }
        Properties values = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            values.load(reader);
            return new FileFacts(values.getProperty("source", ""), Long.parseLong(values.getProperty("size", "-1")),
                    values.getProperty("etag"), Digests.parse(values.getProperty("sha256")), values.getProperty("commit"));
        } catch (IOException | IllegalArgumentException _) {
            return null;
        }
    }

    void write(Path file) throws IOException {
        Properties values = new Properties();
        values.setProperty("source", source);
        values.setProperty("size", Long.toString(size));
        set(values, "etag", etag);
        set(values, "sha256", sha256);
        set(values, "commit", commit);
        Path part = file.resolveSibling(file.getFileName() + ".new");
        try (Writer writer = Files.newBufferedWriter(part, StandardCharsets.UTF_8)) {
            values.store(writer, null);
        }
        Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void set(Properties values, String key, @Nullable String value) {
        if (value != null) {
            values.setProperty(key, value);
        }
    }

    FileFacts withSha256(String digest) {
        return new FileFacts(source, size, etag, digest, commit);
    }
}
