package dev.ringside.download;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Room on the disk of the cache, looked at before bytes are asked for. */
@FunctionalInterface
interface FreeSpace {

    /** Room for other things: a full disk stops more than a download. */
    long MARGIN = 64L << 20;

    /** Bytes that may still be written beside a file. */
    long beside(Path file) throws IOException;

    /** As the file system says. */
    static FreeSpace ofDisk() {
        return file -> {
            Path directory = file.toAbsolutePath().getParent();
            return directory == null ? Long.MAX_VALUE : Files.getFileStore(directory).getUsableSpace();
        };
    }

    /** @throws DownloadException when there is not enough */
    default void require(Path file, long bytes, String name) throws IOException {
        long free = beside(file);
        if (bytes > 0 && free < bytes + MARGIN) {
            throw new DownloadException(
                    name + " needs " + DownloadProgress.size(bytes) + " more, but " + file.toAbsolutePath().getParent() + " has "
                            + DownloadProgress.size(free) + " free",
                    "Make room there, or name a directory on another disk with ringside.model.cache-directory.", null);
        }
    }
}
