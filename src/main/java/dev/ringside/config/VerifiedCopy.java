package dev.ringside.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Files of known content: what is there is trusted only after its SHA-256 was computed, and what is written appears under its name only
 * when it is whole, whoever else writes it at the same time.
 *
 * @param digest expected SHA-256, 64 lower-case hexadecimal digits
 */
record VerifiedCopy(String digest) {

    private static final int DIGITS = 64;

    VerifiedCopy {
        if (digest.length() != DIGITS) {
            throw new IllegalArgumentException("A SHA-256 has " + DIGITS + " hexadecimal digits, found '" + digest + "'");
        }
    }

    boolean isAt(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return false;
        }
        try (DigestInputStream in = new DigestInputStream(Files.newInputStream(file), sha256())) {
            in.transferTo(OutputStream.nullOutputStream());
            return matches(in.getMessageDigest());
        }
    }

    /**
     * @throws IOException when the source has other content, or the target can't be written
     */
    void write(InputStream source, Path target) throws IOException {
        Path directory = target.toAbsolutePath().getParent();
        if (directory == null) {
            throw new IOException(target + " has no directory");
        }
        Files.createDirectories(directory);
        Path part = Files.createTempFile(directory, target.getFileName().toString(), ".part");
        try {
            DigestInputStream in = new DigestInputStream(source, sha256());
            try (OutputStream out = Files.newOutputStream(part)) {
                in.transferTo(out);
            }
            if (!matches(in.getMessageDigest())) {
                throw new IOException("the source is damaged: its SHA-256 is not " + digest);
            }
            move(part, target);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static void move(Path part, Path target) throws IOException {
        try {
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException _) {
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private boolean matches(MessageDigest computed) {
        return HexFormat.of().formatHex(computed.digest()).equals(digest);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }
}
