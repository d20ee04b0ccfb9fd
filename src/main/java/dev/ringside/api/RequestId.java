package dev.ringside.api;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Ids of requests and answers. */
final class RequestId {

    static final String HEADER = "x-request-id";
    /** Exchange attribute that holds the id of the request being handled. */
    static final String ATTRIBUTE = RequestId.class.getName();

    private static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final int LENGTH = 24;
    private static final int MAX_LENGTH = 128;

    private RequestId() {}

    static String create(String prefix) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        StringBuilder id = new StringBuilder(prefix.length() + LENGTH).append(prefix);
        for (int i = 0; i < LENGTH; i++) {
            id.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return id.toString();
    }

    /** Whether a client's own id can be repeated in headers and logs. */
    static boolean acceptable(@Nullable String id) {
        return id != null && !id.isEmpty() && id.length() <= MAX_LENGTH && id.chars().allMatch(c -> c > ' ' && c < 0x7F);
    }
}
