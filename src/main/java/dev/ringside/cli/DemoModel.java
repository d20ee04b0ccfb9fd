package dev.ringside.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The built-in model as a file, which it must be to be mapped: as it lies on a class path of directories, or a copy for as long as it is
 * open when it is packed in the jar.
 */
final class DemoModel implements AutoCloseable {

    private static final String RESOURCE = "models/ringside-demo.gguf";

    private final Path path;
    private final boolean copy;

    private DemoModel(Path path, boolean copy) {
        this.path = path;
        this.copy = copy;
    }

    static DemoModel open() throws IOException {
        URL url = DemoModel.class.getClassLoader().getResource(RESOURCE);
        if (url == null) {
            throw new CommandException("this build has no built-in model: name a GGUF file with --model", null);
        }
        if (url.getProtocol().equals("file")) {
            try {
                return new DemoModel(Path.of(url.toURI()), false);
            } catch (URISyntaxException e) {
                throw new CommandException("the class path holds an odd address, " + url + ": name a GGUF file with --model", e);
            }
        }
        Path target = Files.createTempFile("ringside-demo", ".gguf");
        try (InputStream in = url.openStream()) {
            Files.copy(in, target, StandardCopyOption.REPLACE_EXISTING);
            return new DemoModel(target, true);
        } catch (IOException e) {
            Files.deleteIfExists(target);
            throw e;
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        if (copy) {
            Files.deleteIfExists(path);
        }
    }
}
