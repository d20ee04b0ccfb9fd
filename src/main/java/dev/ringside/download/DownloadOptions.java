package dev.ringside.download;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How models are downloaded.
 *
 * @param directory the cache, which processes may share; or the one directory to download into, see {@code flat}
 * @param flat whether files lie directly in the directory, rather than by their address
 * @param sha256 expected SHA-256 of the model's files, one for each in their order; empty to take what the server says
 * @param allowHttp whether unencrypted addresses are allowed beyond this machine
 * @param hub the Hugging Face hub, or a mirror of it
 * @param token for the hub, sent to no other host; null for none
 * @param attempts how often in a row a connection may fail without bringing anything new
 * @param firstPause in front of the second attempt; each later one is twice as long, up to a minute
 * @param stall longest silence of a server that is sending
 */
public record DownloadOptions(Path directory, boolean flat, List<String> sha256, boolean allowHttp, URI hub, @Nullable String token,
        int attempts, Duration firstPause, Duration stall) {

    private static final URI HUB = URI.create("https://huggingface.co");

    /**
     * @throws IllegalArgumentException when a digest is no SHA-256
     */
    public DownloadOptions {
        sha256 = sha256.stream().map(DownloadOptions::digest).toList();
    }

    private static String digest(String text) {
        String digest = Digests.parse(text.strip());
        if (digest == null) {
            throw new IllegalArgumentException("must be 64 hexadecimal digits, for split models one such number for each file, found '"
                    + text.strip() + "'");
        }
        return digest;
    }

    /**
     * The usual ones, with {@code HF_TOKEN} and {@code HF_ENDPOINT} of the environment.
     *
     * @throws IllegalArgumentException when {@code HF_ENDPOINT} is no address
     */
    public static DownloadOptions standard(Path directory, Map<String, String> environment) {
        String endpoint = environment.getOrDefault("HF_ENDPOINT", "").strip();
        String token = environment.getOrDefault("HF_TOKEN", "").strip();
        return new DownloadOptions(directory, false, List.of(), false, endpoint.isEmpty() ? HUB : URI.create(endpoint),
                token.isEmpty() ? null : token, 8, Duration.ofSeconds(1), Duration.ofSeconds(60));
    }

    public DownloadOptions withSha256(List<String> digests) {
        return new DownloadOptions(directory, flat, digests, allowHttp, hub, token, attempts, firstPause, stall);
    }

    public DownloadOptions withAllowHttp(boolean allowed) {
        return new DownloadOptions(directory, flat, sha256, allowed, hub, token, attempts, firstPause, stall);
    }

    /** Files lie directly in the directory. */
    public DownloadOptions flattened() {
        return new DownloadOptions(directory, true, sha256, allowHttp, hub, token, attempts, firstPause, stall);
    }

    @Override
    public String toString() {
        // The token is a secret.
        return "DownloadOptions[directory=" + directory + ", flat=" + flat + ", sha256=" + sha256 + ", allowHttp=" + allowHttp + ", hub="
                + hub + ", token=" + (token == null ? "none" : "set") + ", attempts=" + attempts + "]";
    }
}
