package dev.ringside.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The small model that is served when no other is named. It must lie in a file to be mapped: as it is on a class path of directories,
 * copied once into the user's cache when it is packed in a jar.
 */
final class BuiltInModel {

    static final String RESOURCE = "models/ringside-demo.gguf";

    private static final Logger LOG = LoggerFactory.getLogger(BuiltInModel.class);

    private final ClassLoader classes;
    private final String resource;
    private final List<Path> caches;

    /**
     * @param resource name of the model on the class path; {@code resource.sha256} beside it holds its SHA-256 in hexadecimal
     * @param caches directories to copy into, the first that works is used
     */
    BuiltInModel(ClassLoader classes, String resource, List<Path> caches) {
        this.classes = classes;
        this.resource = resource;
        this.caches = List.copyOf(caches);
    }

    static BuiltInModel standard() {
        return new BuiltInModel(BuiltInModel.class.getClassLoader(), RESOURCE, CacheDirectories.ofUser());
    }

    /**
     * The model as a file.
     *
     * @throws StartupException when there is none or no directory takes the copy
     */
    Path locate() {
        URL url = classes.getResource(resource);
        if (url == null) {
            throw new StartupException("The built-in model is missing from this build (" + resource + " is not on the class path).",
                    "Set ringside.model.path (or RINGSIDE_MODEL_PATH) to a GGUF file.", null);
        }
        if (url.getProtocol().equals("file")) {
            try {
                return Path.of(url.toURI());
            } catch (URISyntaxException e) {
                throw new IllegalStateException("The class path holds an odd address: " + url, e);
            }
        }
        return unpacked();
    }

    private Path unpacked() {
        VerifiedCopy copy = new VerifiedCopy(expectedDigest());
        StringBuilder problems = new StringBuilder();
        for (Path cache : caches) {
            Path target = cache.resolve(copy.digest().substring(0, 16)).resolve(fileName());
            try {
                if (copy.isAt(target)) {
                    LOG.info("Built-in model: {}", target);
                    return target;
                }
                try (InputStream in = open(resource)) {
                    copy.write(in, target);
                }
                LOG.info("Built-in model: copied to {}", target);
                return target;
            } catch (IOException e) {
                LOG.debug("The built-in model can't be kept in {}", cache, e);
                problems.append("\n    ").append(cache).append(": ").append(e);
            }
        }
        throw new StartupException("The built-in model has to be copied out of the jar, but no directory takes it:" + problems,
                "Make one of these writable, name another with XDG_CACHE_HOME or -Djava.io.tmpdir, or set ringside.model.path to a GGUF file.",
                null);
    }

    private String fileName() {
        return resource.substring(resource.lastIndexOf('/') + 1);
    }

    private String expectedDigest() {
        try (InputStream in = open(resource + ".sha256")) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private InputStream open(String name) throws IOException {
        InputStream in = classes.getResourceAsStream(name);
        if (in == null) {
            throw new IOException(name + " is not on the class path");
        }
        return in;
    }
}
