package dev.ringside.api;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;

/**
 * Which web pages of other origins may call.
 *
 * @param allowedOrigins scheme, host and port each, where {@code *} stands for any label; {@code *} alone allows all; empty allows none
 * @param maxAge how long a browser may keep the answer to its question
 */
public record CorsSettings(List<String> allowedOrigins, Duration maxAge) {

    public CorsSettings {
        allowedOrigins = List.copyOf(allowedOrigins);
    }

    /** No page of another origin may call. */
    public static CorsSettings off() {
        return new CorsSettings(List.of(), Duration.ZERO);
    }

    /** Whether a setting is {@code *} or an origin: scheme, host and perhaps a port, without a path. */
    public static boolean isOrigin(String setting) {
        if (setting.equals("*")) {
            return true;
        }
        try {
            // No host may hold an asterisk; whatever it stands for is a name too.
            URI origin = new URI(setting.replace("*", "x"));
            return origin.getScheme() != null && origin.getHost() != null && origin.getRawUserInfo() == null
                    && origin.getRawPath().isEmpty()
                    && origin.getRawQuery() == null && origin.getRawFragment() == null;
        } catch (URISyntaxException _) {
            return false;
        }
    }
}
