package dev.ringside.download;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where a model is: a file here, a file on a web server, or a file of a repository on the Hugging Face hub. */
public sealed interface ModelAddress {

    /** Something to download. */
    sealed interface Remote extends ModelAddress {

        /** Addresses of all files of the model: itself, or every file of a split one. */
        List<? extends Remote> files();

        /** Name of the file. */
        String fileName();

        /** Where it lies in a cache, relative to the directory; files of one split model lie side by side. */
        Path cachePath();
    }

    /** As people may see it: without a query, which may hold a signature. */
    String display();

    /** A file here. */
    record LocalFile(Path path) implements ModelAddress {

        @Override
        public String display() {
            return path.toString();
        }
    }

    /** A file on a web server. */
    record WebFile(URI uri) implements Remote {

        @Override
        public List<WebFile> files() {
            SplitName split = SplitName.parse(fileName());
            return split == null ? List.of(this) : split.all().stream().map(this::sibling).toList();
        }

        private WebFile sibling(String name) {
            String path = uri.getRawPath();
            String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
            return new WebFile(uri.resolve(path.substring(0, path.lastIndexOf('/') + 1) + name + query));
        }

        @Override
        public String fileName() {
            return uri.getPath().substring(uri.getPath().lastIndexOf('/') + 1);
        }

        @Override
        public Path cachePath() {
            String directory = uri.getRawPath().substring(0, uri.getRawPath().lastIndexOf('/'));
            String origin = uri.getScheme() + "://" + uri.getRawAuthority() + directory;
            return Path.of("web", uri.getHost() + "-" + Digests.ofText(origin).substring(0, 16), fileName());
        }

        @Override
        public String display() {
            return uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath();
        }
    }

    /**
     * A file of a repository on the Hugging Face hub.
     *
     * @param repository organisation and name, {@code Qwen/Qwen3-30B-A3B-GGUF}
     * @param revision branch, tag or commit
     * @param file path within the repository
     */
    record HubFile(String repository, String revision, String file) implements Remote {

        @Override
        public List<HubFile> files() {
            SplitName split = SplitName.parse(fileName());
            String directory = file.substring(0, file.lastIndexOf('/') + 1);
            return split == null
                    ? List.of(this)
                    : split.all().stream().map(name -> new HubFile(repository, revision, directory + name)).toList();
        }

        /** Its web address on a hub. */
        URI at(URI endpoint) {
            String base = endpoint.toString();
            String path = Stream.of(file.split("/", -1)).map(HubFile::encode).collect(Collectors.joining("/"));
            return URI.create((base.endsWith("/") ? base : base + "/") + repository + "/resolve/" + encode(revision) + "/" + path);
        }

        private static String encode(String segment) {
            try {
                // With every slash of a revision (refs/pr/1) as part of the one segment it is.
                return new URI(null, null, "/" + segment, null).getRawPath().substring(1).replace("/", "%2F");
            } catch (URISyntaxException e) {
                throw new IllegalArgumentException(segment, e);
            }
        }

        @Override
        public String fileName() {
            return file.substring(file.lastIndexOf('/') + 1);
        }

        @Override
        public Path cachePath() {
            return Path.of("hub", repository.replace("/", "--"), revision.replace('/', '-'), file);
        }

        @Override
        public String display() {
            return "hf://" + repository + "/" + file + (revision.equals(MAIN) ? "" : "@" + revision);
        }
    }

    /** Branch that is taken when none is named. */
    String MAIN = "main";

    /**
     * Reads a path, an {@code https://} or {@code http://} address, or {@code hf://organisation/repository/file.gguf}, with
     * {@code @revision} behind the repository or at the end.
     *
     * @throws IllegalArgumentException saying what is expected
     */
    static ModelAddress parse(String text) {
        String address = text.strip();
        String lower = address.toLowerCase(Locale.ROOT);
        if (lower.startsWith("hf://")) {
            return hub(address.substring("hf://".length()));
        }
        if (lower.startsWith("https://") || lower.startsWith("http://")) {
            return web(address);
        }
        int scheme = address.indexOf("://");
        if (scheme > 0) {
            throw new IllegalArgumentException("must be a file, an https:// address or hf://organisation/repository/file.gguf, not "
                    + address.substring(0, scheme) + "://");
        }
        try {
            return new LocalFile(Path.of(address));
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("must be the path of a GGUF file: " + e.getReason());
        }
    }

    private static WebFile web(String address) {
        URI uri;
        try {
            uri = new URI(address);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("must be a web address: " + e.getReason());
        }
        if (uri.getHost() == null || uri.getRawPath() == null || uri.getRawPath().endsWith("/") || uri.getRawPath().isEmpty()) {
            throw new IllegalArgumentException("must name a host and a file, such as https://example.org/models/model.gguf");
        }
        if (uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException("must hold no user name or password: addresses are shown in logs");
        }
        WebFile file = new WebFile(uri.getRawFragment() == null ? uri : URI.create(address.substring(0, address.indexOf('#'))));
        checkSegments(file.fileName(), file.fileName());
        return file;
    }

    private static HubFile hub(String rest) {
        String[] parts = rest.split("/", 3);
        if (parts.length < 3 || parts[0].isBlank() || parts[1].isBlank() || parts[2].isBlank() || parts[2].endsWith("/")) {
            throw new IllegalArgumentException("must name organisation, repository and file: hf://organisation/repository/file.gguf");
        }
        String name = parts[1];
        String file = parts[2];
        String revision = MAIN;
        int inName = name.indexOf('@');
        int inFile = file.lastIndexOf('@');
        if (inName >= 0) {
            revision = name.substring(inName + 1);
            name = name.substring(0, inName);
        } else if (inFile >= 0) {
            revision = file.substring(inFile + 1);
            file = file.substring(0, inFile);
        }
        checkSegments(parts[0] + "/" + name, rest);
        checkSegments(revision, rest);
        checkSegments(file, rest);
        if (!plain(parts[0]) || !plain(name)) {
            throw new IllegalArgumentException("must have an organisation and a repository of letters, digits, '-', '_' and '.'");
        }
        return new HubFile(parts[0] + "/" + name, revision, file);
    }

    /** What becomes a path in the cache must stay in it. */
    private static void checkSegments(String path, String shown) {
        for (String segment : path.split("/", -1)) {
            if (segment.isBlank() || segment.equals(".") || segment.equals("..") || segment.indexOf('\\') >= 0
                    || segment.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("must hold no empty, '.' or '..' parts, found '" + shown + "'");
            }
        }
    }

    private static boolean plain(String name) {
        return name.chars().allMatch(c -> c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "-_.".indexOf(c) >= 0);
    }
}
