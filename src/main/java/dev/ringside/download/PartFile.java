package dev.ringside.download;

import dev.ringside.download.DownloadProgress.Phase;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;

/** What is here of a file, under a temporary name, with the digest of it so far. */
final class PartFile implements AutoCloseable {

    private static final int BUFFER = 1 << 20;

    private final Path path;
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    private MessageDigest digest = Digests.sha256();
    private long length;

    private PartFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /** Opens what an earlier run left, and reads it for its digest. */
    static PartFile open(Path path, ProgressMeter progress, long total) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            PartFile part = new PartFile(path, channel);
            part.readAgain(progress, total);
            return part;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private void readAgain(ProgressMeter progress, long total) throws IOException {
        if (channel.size() > 0) {
            progress.phase(Phase.VERIFYING, 0, total);
        }
        buffer.clear();
        for (int read = channel.read(buffer); read >= 0; read = channel.read(buffer)) {
            digest.update(buffer.flip());
            length += read;
            buffer.clear();
            progress.bytes(length);
        }
    }

    long length() {
        return length;
    }

    /** For filling; {@link #append} takes what was put in. */
    byte[] memory() {
        return buffer.array();
    }

    void append(int count) throws IOException {
        buffer.clear().limit(count);
        while (buffer.hasRemaining()) {
            channel.write(buffer, length + buffer.position());
        }
        digest.update(buffer.array(), 0, count);
        length += count;
    }

    void restart() throws IOException {
        channel.truncate(0);
        digest = Digests.sha256();
        length = 0;
    }

    /** SHA-256 of what is here; the file must not be appended to afterwards. */
    String sha256() {
        return Digests.text(digest.digest());
    }

    /** Gives the file its own name, once its bytes are on the disk. */
    void complete(Path target) throws IOException {
        channel.force(true);
        channel.close();
        try {
            Files.move(path, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException _) {
            Files.move(path, target, StandardCopyOption.REPLACE_EXISTING);
        }
        forceDirectory(target);
    }

    private static void forceDirectory(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null) {
            return;
        }
        try (FileChannel entry = FileChannel.open(directory, StandardOpenOption.READ)) {
            entry.force(true);
        } catch (IOException _) {
            // Windows opens no directories.
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
