package dev.ringside.download;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * What a server sent behind all redirects.
 *
 * @param linked headers of the hub itself, which knows size and digest of the file it redirects to
 */
record HttpAnswer(int status, HttpHeaders headers, HttpHeaders linked, InputStream body) implements AutoCloseable {

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    /** Strong validator, or null. */
    @Nullable
    String etag() {
        String etag = headers.firstValue("etag").orElse(null);
        return etag == null || etag.startsWith("W/") || etag.isBlank() ? null : etag;
    }

    /** SHA-256 that the hub keeps of large files, or null. */
    @Nullable
    String sha256() {
        String etag = linked.firstValue("x-linked-etag").orElse("");
        return Digests
                .parse(etag.startsWith("\"") && etag.endsWith("\"") && etag.length() > 1 ? etag.substring(1, etag.length() - 1) : etag);
    }

    @Nullable
    String commit() {
        return linked.firstValue("x-repo-commit").filter(commit -> commit.length() == 40).orElse(null);
    }

    /** Size of the file as the hub knows it, or -1. */
    long linkedSize() {
        return number(linked.firstValue("x-linked-size").orElse(""));
    }

    /** Bytes of the body, or -1. */
    long length() {
        return number(headers.firstValue("content-length").orElse(""));
    }

    /** First byte of a partial answer, or -1. */
    long rangeStart() {
        String range = contentRange();
        int dash = range.indexOf('-');
        return dash < 0 ? -1 : number(range.substring(0, dash).strip());
    }

    /** Size of the whole file in a partial answer or a refused range, or -1. */
    long rangeTotal() {
        String range = contentRange();
        return number(range.substring(range.indexOf('/') + 1).strip());
    }

    private String contentRange() {
        String range = headers.firstValue("content-range").orElse("").strip();
        return range.regionMatches(true, 0, "bytes", 0, 5) ? range.substring(5).strip() : "";
    }

    /** How long the server asks to wait, at most five minutes, or null. */
    @Nullable
    Duration retryAfter() {
        String text = headers.firstValue("retry-after").orElse("").strip();
        long seconds = number(text);
        Duration pause = seconds >= 0 ? Duration.ofSeconds(seconds) : until(text);
        return pause == null ? null : pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }

    private static @Nullable Duration until(String date) {
        try {
            Duration pause = Duration.between(Instant.now(), ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
            return pause.isNegative() ? Duration.ZERO : pause;
        } catch (DateTimeException _) {
            return null;
        }
    }

    private static long number(String text) {
        if (text.isEmpty() || text.length() > 18 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        return Long.parseLong(text);
    }

    @Override
    public void close() {
        try {
            body.close();
        } catch (IOException _) {
            // Nothing more is wanted of it.
        }
    }
}
