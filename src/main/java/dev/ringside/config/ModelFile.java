package dev.ringside.config;

import dev.ringside.download.DownloadException;
import dev.ringside.download.DownloadOptions;
import dev.ringside.download.DownloadProgress;
import dev.ringside.download.ModelAddress;
import dev.ringside.download.ModelAddress.LocalFile;
import dev.ringside.download.ModelAddress.Remote;
import dev.ringside.download.ModelDownloader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which file to serve.
 *
 * @param path the file
 * @param source where it came from, without secrets: a path, an address, or {@code built-in}
 */
record ModelFile(Path path, String source) {

    static final String PROPERTY = "ringside.model.path";
    static final String BUILT_IN = "built-in";
    private static final String CACHE = "ringside.model.cache-directory";

    /**
     * Finds the file that is set, and downloads it when it lies elsewhere.
     *
     * @throws StartupException when there is no such file or it can't be had
     */
    static ModelFile of(RingsideProperties settings) {
        return of(settings, System.getenv(), new DownloadLog());
    }

    /** @param listener hears how far a download is; not called for files that are here */
    static ModelFile of(RingsideProperties settings, Map<String, String> environment, Consumer<DownloadProgress> listener) {
        ModelAddress address = address(settings);
        return switch (address) {
            case null -> new ModelFile(BuiltInModel.standard().locate(), BUILT_IN);
            case LocalFile(Path path) -> new ModelFile(existing(path), path.toString());
            case Remote remote -> new ModelFile(download(remote, settings.model(), environment, listener), remote.display());
        };
    }

    /** Null for the built-in model. */
    static @Nullable ModelAddress address(RingsideProperties settings) {
        String set = settings.model().path();
        if (set == null || set.isBlank()) {
            return null;
        }
        try {
            return ModelAddress.parse(set);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(PROPERTY, set, String.valueOf(e.getMessage()));
        }
    }

    private static Path existing(Path path) {
        if (!Files.exists(path)) {
            throw new StartupException("The model file " + path.toAbsolutePath() + " does not exist (" + PROPERTY + ").",
                    "Set " + PROPERTY + " or RINGSIDE_MODEL_PATH to a GGUF file, or leave it out to serve the built-in demo model.", null);
        }
        return path;
    }

    private static Path download(Remote remote, RingsideProperties.Model model, Map<String, String> environment,
            Consumer<DownloadProgress> listener) {
        try {
            DownloadOptions options = DownloadOptions.standard(cache(model.cacheDirectory()), environment).withSha256(model.sha256())
                    .withAllowHttp(model.allowHttp());
            return new ModelDownloader(options, listener).fetch(remote);
        } catch (DownloadException e) {
            throw new StartupException("The model can't be downloaded. " + e.getMessage(), e.action(), e);
        }
    }

    private static Path cache(String set) {
        if (!set.isBlank()) {
            try {
                return Path.of(set.strip());
            } catch (InvalidPathException e) {
                throw new InvalidSettingException(CACHE, set, "must be the path of a directory: " + e.getReason());
            }
        }
        List<Path> caches = CacheDirectories.ofUser();
        if (caches.isEmpty()) {
            throw new StartupException("There is no directory to download the model into: no home and no temporary directory.",
                    "Set " + CACHE + ".", null);
        }
        return caches.getFirst();
    }
}
