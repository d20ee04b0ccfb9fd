package dev.ringside.config;

import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.DeviceInfo;
import dev.ringside.model.ModelInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How clients know the model.
 *
 * @param id name in requests and answers
 * @param created when the file was written
 * @param fingerprint changes with model, file and backend, which is when the same seed may give another answer
 */
record ModelIdentity(String id, Instant created, String fingerprint) {

    static ModelIdentity of(@Nullable String set, ModelInfo model, GgufFile file, DeviceInfo device) {
        String id = set == null || set.isBlank() ? slug(model.name()) : set.strip();
        long hash = (model.name() + '|' + model.weightBytes() + '|' + file.tensors().size() + '|' + device.backend()).hashCode()
                & 0xFFFF_FFFFL;
        return new ModelIdentity(id, created(file), String.format(Locale.ROOT, "fp_%08x", hash));
    }

    private static Instant created(GgufFile file) {
        try {
            return Files.getLastModifiedTime(file.path()).toInstant();
        } catch (IOException _) {
            return Instant.EPOCH;
        }
    }

    /** {@code Ringside Demo} as {@code ringside-demo}: lower case, with single dashes for what needs quoting in URLs or shells. */
    static String slug(String name) {
        String text = name.endsWith(".gguf") ? name.substring(0, name.length() - ".gguf".length()) : name;
        StringBuilder slug = new StringBuilder();
        for (char c : text.toLowerCase(Locale.ROOT).toCharArray()) {
            boolean plain = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '_';
            if (plain) {
                slug.append(c);
            } else if (!slug.isEmpty() && slug.charAt(slug.length() - 1) != '-') {
                slug.append('-');
            }
        }
        while (!slug.isEmpty() && slug.charAt(slug.length() - 1) == '-') {
            slug.setLength(slug.length() - 1);
        }
        return slug.isEmpty() ? "model" : slug.toString();
    }
}
