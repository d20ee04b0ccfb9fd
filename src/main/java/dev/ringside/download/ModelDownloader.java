package dev.ringside.download;

import dev.ringside.download.DownloadProgress.Phase;
import dev.ringside.download.ModelAddress.HubFile;
import dev.ringside.download.ModelAddress.Remote;
import dev.ringside.download.ModelAddress.WebFile;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches models into a directory that processes may share. A file appears under its name only when it is whole, verified and on the disk;
 * a download that breaks off goes on where it ended, in this process or a later one. Files that are there are not asked for again.
 */
public final class ModelDownloader {

    private static final Logger LOG = LoggerFactory.getLogger(ModelDownloader.class);

    private final DownloadOptions options;
    private final FreeSpace space;
    private final Consumer<DownloadProgress> listener;

    /** @param listener hears of progress on the downloading thread, about ten times a second */
    public ModelDownloader(DownloadOptions options, Consumer<DownloadProgress> listener) {
        this(options, listener, FreeSpace.ofDisk());
    }

    ModelDownloader(DownloadOptions options, Consumer<DownloadProgress> listener, FreeSpace space) {
        this.options = options;
        this.listener = listener;
        this.space = space;
    }

    /**
     * Fetches what is missing of a model, all files of a split one, and gives the path of the file that was named.
     *
     * @throws DownloadException saying why it can't be had
     */
    public Path fetch(Remote source) {
        List<? extends Remote> files = source.files();
        if (!options.sha256().isEmpty() && options.sha256().size() != files.size()) {
            throw new DownloadException(
                    source.display() + " has " + files.size() + " files, but " + options.sha256().size() + " digests are set",
                    "Set ringside.model.sha256 to one SHA-256 for each file, in their order, separated by commas.", null);
        }
        ProgressMeter progress = new ProgressMeter(source.display(), files.size(), listener);
        Path named = target(source);
        try (HttpSource http = new HttpSource(options)) {
            String commit = null;
            for (int i = 0; i < files.size(); i++) {
                progress.file(i + 1);
                FileFacts facts = fetchFile(http, progress, files.get(i), commit,
                        options.sha256().isEmpty() ? null : options.sha256().get(i));
                // Files of one model are of one commit, however the branch moves meanwhile.
                commit = commit == null ? facts.commit() : commit;
            }
        } catch (IOException e) {
            throw new DownloadException(source.display() + " can't be kept in " + options.directory() + ": " + e,
                    "Name a directory that can be written to with ringside.model.cache-directory.", e);
        }
        progress.phase(Phase.DONE, 0, FileFacts.UNKNOWN);
        return named;
    }

    private FileFacts fetchFile(HttpSource http, ProgressMeter progress, Remote file, @Nullable String commit, @Nullable String expected)
            throws IOException {
        Path target = target(file);
        Path info = target.resolveSibling(target.getFileName() + ".info");
        // Without a lock first: a cache that is complete may be read-only.
        FileFacts here = whole(target, info, file.display(), expected);
        if (here != null) {
            LOG.info("{}: here already, {}", file.display(), target);
            return here;
        }
        Path directory = target.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        try (CacheLock _ = CacheLock.acquire(target.resolveSibling(target.getFileName() + ".lock"),
                () -> progress.phase(Phase.WAITING, 0, FileFacts.UNKNOWN))) {
            FileFacts meanwhile = whole(target, info, file.display(), expected);
            if (meanwhile != null) {
                LOG.info("{}: another process has downloaded it, {}", file.display(), target);
                return meanwhile;
            }
            FileFacts facts = new FileDownload(options, http, space, progress, file, address(file, commit), target, info, expected).run();
            LOG.info("{}: downloaded {} to {}, SHA-256 {}", file.display(), DownloadProgress.size(facts.size()), target, facts.sha256());
            return facts;
        }
    }

    private URI address(Remote file, @Nullable String commit) {
        return switch (file) {
            case WebFile web -> web.uri();
            case HubFile hub -> new HubFile(hub.repository(), commit == null ? hub.revision() : commit, hub.file()).at(options.hub());
        };
    }

    private Path target(Remote file) {
        return options.flat() ? options.directory().resolve(file.fileName()) : options.directory().resolve(file.cachePath());
    }

    /** What is known of a file that is here, or null when it has to be fetched. */
    private static @Nullable FileFacts whole(Path target, Path info, String source, @Nullable String expected) throws IOException {
        if (!Files.isRegularFile(target)) {
            return null;
        }
        FileFacts facts = FileFacts.read(info);
        if (facts != null && facts.size() == Files.size(target) && facts.source().equals(source)) {
            return expected == null || expected.equals(facts.sha256()) ? facts : null;
        }
        // Put there by somebody else: only a digest tells whether it is the right one.
        return expected != null && expected.equals(digest(target))
                ? new FileFacts(source, Files.size(target), null, expected, null)
                : null;
    }

    private static String digest(Path file) throws IOException {
        try (DigestInputStream in = new DigestInputStream(Files.newInputStream(file), Digests.sha256())) {
            in.transferTo(OutputStream.nullOutputStream());
            return Digests.text(in.getMessageDigest().digest());
        }
    }
}
