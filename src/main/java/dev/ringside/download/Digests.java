package dev.ringside.download;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** SHA-256 in lower-case hexadecimal. */
final class Digests {

    private static final int DIGITS = 64;

    private Digests() {}

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }

    static String ofText(String text) {
        return text(sha256().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    static String text(byte[] digest) {
        return HexFormat.of().formatHex(digest);
    }

    /** The text as a digest, or null when it is none. */
    static @Nullable String parse(@Nullable String text) {
        if (text == null || text.length() != DIGITS) {
            return null;
        }
        String lower = text.toLowerCase(Locale.ROOT);
        return lower.chars().allMatch(c -> c >= '0' && c <= '9' || c >= 'a' && c <= 'f') ? lower : null;
    }
}
