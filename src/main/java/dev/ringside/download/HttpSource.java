package dev.ringside.download;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks servers for files. Follows redirects itself, since they decide who gets the token: the hub and nobody else, and only where nobody
 * listens in.
 */
final class HttpSource implements AutoCloseable {

    private static final int MOST_REDIRECTS = 10;
    private static final Duration CONNECT = Duration.ofSeconds(20);

    private final DownloadOptions options;
    private final HttpClient client;

    HttpSource(DownloadOptions options) {
        this.options = options;
        // HTTP/1.1: one connection per file, without HTTP/2's flow-control windows.
        this.client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT).build();
    }

    /**
     * Asks for a file, or for its rest.
     *
     * @param from first byte
     * @param etag the rest is wanted only while this is the file's validator; null where a digest decides
     * @throws TransientFailure when the server can't be reached
     * @throws DownloadException when an address is not allowed
     */
    HttpAnswer open(URI address, long from, @Nullable String etag) throws TransientFailure {
        URI next = address;
        HttpHeaders linked = HttpHeaders.of(Map.of(), (_, _) -> true);
        for (int hops = 0; hops <= MOST_REDIRECTS; hops++) {
            requireAllowed(next);
            HttpResponse<InputStream> response = send(request(next, from, etag), next);
            if (sameOrigin(next, address) && response.headers().firstValue("x-linked-etag").isPresent()) {
                linked = response.headers();
            }
            if (!isRedirect(response.statusCode())) {
                return new HttpAnswer(response.statusCode(), response.headers(), linked, response.body());
            }
            URI here = next;
            String location = response.headers().firstValue("location").orElse("");
            close(response.body());
            next = resolve(here, location);
            requireNoDowngrade(here, next);
        }
        throw new DownloadException(display(address) + " redirects more than " + MOST_REDIRECTS + " times",
                "Give the address that it leads to in a browser.", null);
    }

    private HttpRequest request(URI address, long from, @Nullable String etag) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address).timeout(options.stall()).header("User-Agent", "ringside")
                .header("Accept-Encoding", "identity").GET();
        if (from > 0) {
            request.header("Range", "bytes=" + from + "-");
            if (etag != null) {
                request.header("If-Range", etag);
            }
        }
        String token = options.token();
        if (token != null && sameOrigin(address, options.hub()) && (isSecure(address) || isLoopback(address))) {
            request.header("Authorization", "Bearer " + token);
        }
        return request.build();
    }

    private HttpResponse<InputStream> send(HttpRequest request, URI address) throws TransientFailure {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw new TransientFailure(display(address) + " can't be reached: " + reason(e), null, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DownloadException("The download of " + display(address) + " was interrupted", "Start again: what is here is kept.",
                    e);
        }
    }

    private static URI resolve(URI base, String location) {
        try {
            URI target = base.resolve(location);
            String scheme = String.valueOf(target.getScheme()).toLowerCase(Locale.ROOT);
            if (!location.isBlank() && target.getHost() != null && (scheme.equals("https") || scheme.equals("http"))) {
                return target;
            }
        } catch (IllegalArgumentException _) {
            // Said below.
        }
        throw new DownloadException(display(base) + " redirects to something that is no web address",
                "Give the address that it leads to in a browser.", null);
    }

    private void requireAllowed(URI address) {
        if (!isSecure(address) && !isLoopback(address) && !options.allowHttp()) {
            throw new DownloadException(display(address) + " is not encrypted: anybody on the way could change the model",
                    "Use https, or set ringside.model.allow-http to true (and ringside.model.sha256).", null);
        }
    }

    private void requireNoDowngrade(URI from, URI to) {
        if (isSecure(from) && !isSecure(to) && !options.allowHttp()) {
            throw new DownloadException(display(from) + " redirects to an address that is not encrypted, " + display(to),
                    "Use another address, or set ringside.model.allow-http to true (and ringside.model.sha256).", null);
        }
    }

    private static boolean isRedirect(int status) {
        return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    }

    private static boolean sameOrigin(URI a, URI b) {
        return a.getScheme().equalsIgnoreCase(b.getScheme()) && Objects.requireNonNullElse(a.getHost(), "").equalsIgnoreCase(b.getHost())
                && port(a) == port(b);
    }

    private static int port(URI address) {
        return address.getPort() >= 0 ? address.getPort() : isSecure(address) ? 443 : 80;
    }

    private static boolean isSecure(URI address) {
        return address.getScheme().equalsIgnoreCase("https");
    }

    private static boolean isLoopback(URI address) {
        String host = Objects.requireNonNullElse(address.getHost(), "");
        return host.equalsIgnoreCase("localhost") || host.equals("[::1]") || host.equals("127.0.0.1");
    }

    /** Without a query, which may hold a signature. */
    static String display(URI address) {
        return address.getScheme() + "://" + address.getRawAuthority() + Objects.requireNonNullElse(address.getRawPath(), "");
    }

    static String reason(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
    }

    private static void close(InputStream body) {
        try {
            body.close();
        } catch (IOException _) {
            // Nothing more is wanted of it.
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
