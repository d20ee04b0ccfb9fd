package dev.ringside.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuiltInModelTest {

    private static final String RESOURCE = "models/small.gguf";
    private static final byte[] CONTENT = "GGUF but small".repeat(1000).getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path directory;

    @Test
    void aFileOnTheClassPathIsUsedWhereItIs() {
        Path located = BuiltInModel.standard().locate();

        assertThat(located).exists().hasFileName("ringside-demo.gguf");
        assertThat(located.toString()).as("not a copy").contains("models").doesNotContain(".cache");
    }

    @Test
    void theRecordedDigestIsThatOfTheModel() throws Exception {
        Path located = BuiltInModel.standard().locate();
        String recorded = Files.readString(located.resolveSibling("ringside-demo.gguf.sha256")).strip();

        assertThat(new VerifiedCopy(recorded).isAt(located)).isTrue();
    }

    @Test
    void aModelInAJarIsCopiedOnce() throws Exception {
        Path cache = directory.resolve("cache");
        BuiltInModel model = model(jar(CONTENT, digest(CONTENT)), cache);

        Path first = model.locate();
        var written = Files.getLastModifiedTime(first);
        Path second = model.locate();

        assertThat(first).hasBinaryContent(CONTENT).hasFileName("small.gguf").startsWith(cache);
        assertThat(second).isEqualTo(first);
        assertThat(Files.getLastModifiedTime(second)).isEqualTo(written);
        assertThat(first.getParent()).isDirectoryNotContaining(file -> file.toString().endsWith(".part"));
    }

    @Test
    void aDamagedCopyIsMadeAgain() throws Exception {
        BuiltInModel model = model(jar(CONTENT, digest(CONTENT)), directory.resolve("cache"));
        Path copy = model.locate();
        Files.write(copy, new byte[CONTENT.length]);

        assertThat(model.locate()).isEqualTo(copy).hasBinaryContent(CONTENT);
    }

    @Test
    void whereACacheCannotBeWrittenTheNextOneIsUsed() throws Exception {
        Path blocked = Files.createFile(directory.resolve("a-file"));
        Path cache = directory.resolve("cache");

        assertThat(model(jar(CONTENT, digest(CONTENT)), blocked, cache).locate()).startsWith(cache).hasBinaryContent(CONTENT);
    }

    @Test
    void withoutAnyCacheTheStartIsRefusedWithTheDirectoriesTried() throws Exception {
        Path blocked = Files.createFile(directory.resolve("a-file"));

        assertThatThrownBy(() -> model(jar(CONTENT, digest(CONTENT)), blocked).locate()).isInstanceOf(StartupException.class)
                .hasMessageContaining(blocked.toString());
    }

    @Test
    void aDamagedJarIsNotServed() throws Exception {
        BuiltInModel model = model(jar(new byte[10], digest(CONTENT)), directory.resolve("cache"));

        assertThatThrownBy(model::locate).isInstanceOf(StartupException.class).hasMessageContaining("damaged");
    }

    @Test
    void cachesAreWhereTheSystemKeepsThem() {
        assertThat(caches("Linux", Map.of("XDG_CACHE_HOME", "/x/cache"))).containsExactly(Path.of("/x/cache/ringside/models"),
                Path.of("/home/me/.cache/ringside/models"), Path.of("/tmp/ringside-me/ringside/models"));
        assertThat(caches("Linux", Map.of("XDG_CACHE_HOME", "relative"))).as("the standard says to ignore it")
                .startsWith(Path.of("/home/me/.cache/ringside/models"));
        assertThat(caches("Mac OS X", Map.of())).startsWith(Path.of("/home/me/Library/Caches/ringside/models"));
    }

    private static List<Path> caches(String os, Map<String, String> environment) {
        Properties system = new Properties();
        system.putAll(Map.of("os.name", os, "user.home", "/home/me", "java.io.tmpdir", "/tmp", "user.name", "me"));
        return CacheDirectories.of(environment, system);
    }

    private BuiltInModel model(Path jar, Path... caches) throws IOException {
        // The class loader reads from the jar as long as the test runs.
        return new BuiltInModel(new URLClassLoader(new URL[] {jar.toUri().toURL()}, null), RESOURCE, List.of(caches));
    }

    private Path jar(byte[] content, String digest) throws IOException {
        Path jar = Files.createTempFile(directory, "models", ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry(RESOURCE));
            out.write(content);
            out.putNextEntry(new JarEntry(RESOURCE + ".sha256"));
            out.write((digest + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        return jar;
    }

    private static String digest(byte[] content) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    }
}
