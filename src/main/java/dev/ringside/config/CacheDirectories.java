package dev.ringside.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Where a program keeps files it can make again: the user's cache as each system names it, then the temporary directory. */
final class CacheDirectories {

    private static final String NAME = "ringside";

    private CacheDirectories() {}

    static List<Path> ofUser() {
        return of(System.getenv(), System.getProperties());
    }

    static List<Path> of(Map<String, String> environment, Properties system) {
        List<Path> directories = new ArrayList<>();
        String os = system.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        String home = system.getProperty("user.home", "");
        if (os.startsWith("windows")) {
            add(directories, environment.get("LOCALAPPDATA"));
        } else if (os.startsWith("mac")) {
            add(directories, home.isBlank() ? null : home + "/Library/Caches");
        } else {
            add(directories, environment.get("XDG_CACHE_HOME"));
            add(directories, home.isBlank() ? null : home + "/.cache");
        }
        String temporary = system.getProperty("java.io.tmpdir");
        String user = system.getProperty("user.name", "user").replace('/', '_').replace('\\', '_');
        add(directories, temporary == null ? null : temporary + "/" + NAME + "-" + user);
        return directories;
    }

    private static void add(List<Path> directories, @Nullable String directory) {
        if (directory == null || directory.isBlank()) {
            return;
        }
        try {
            Path path = Path.of(directory);
            // XDG's rule: relative paths are to be ignored. Containers without a home directory have "?".
            if (path.isAbsolute()) {
                directories.add(path.resolve(NAME).resolve("models"));
            }
        } catch (InvalidPathException _) {
            // The next one is taken.
        }
    }
}
