package dev.ringside.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/** A key that lets requests in: its name, which may be shown, and its SHA-256. Random keys need neither salt nor a slow hash. */
public final class ApiKey {

    private static final String HASHED = "sha256:";
    private static final int HEX_LENGTH = 64;
    private static final int MAX_NAME_LENGTH = 64;

    private final String name;
    private final byte[] digest;
    private final boolean plain;
    private final boolean admin;

    private ApiKey(String name, byte[] digest, boolean plain, boolean admin) {
        this.name = name;
        this.digest = digest;
        this.plain = plain;
        this.admin = admin;
    }

    /**
     * Reads settings: {@code NAME=sha256:HEX}, {@code sha256:HEX}, or a key as it is. Keys without a name are called {@code key-1},
     * {@code key-2} and so on, by position.
     *
     * @throws IllegalArgumentException saying what is allowed, without the text itself, which may be a secret
     */
    public static List<ApiKey> parseAll(List<String> settings) {
        List<ApiKey> keys = new ArrayList<>(settings.size());
        Set<String> names = new HashSet<>();
        for (String setting : settings) {
            ApiKey key = parse(setting, keys.size() + 1);
            if (!names.add(key.name)) {
                throw new IllegalArgumentException("must give every key another name; '" + key.name + "' is there twice");
            }
            keys.add(key);
        }
        return List.copyOf(keys);
    }

    /**
     * As above.
     *
     * @param admins names of the keys that see and cancel everybody's requests
     * @throws IllegalArgumentException also when no key has one of these names
     */
    public static List<ApiKey> parseAll(List<String> settings, List<String> admins) {
        List<ApiKey> keys = parseAll(settings);
        for (String admin : admins) {
            if (keys.stream().noneMatch(key -> key.name.equals(admin))) {
                throw new IllegalArgumentException("must name keys of ringside.api.keys; none is called '" + admin + "'");
            }
        }
        return keys.stream().map(key -> new ApiKey(key.name, key.digest, key.plain, admins.contains(key.name))).toList();
    }

    private static ApiKey parse(String setting, int position) {
        if (setting.isBlank()) {
            throw new IllegalArgumentException("must hold no blank keys; number " + position + " is one");
        }
        int equals = setting.indexOf('=');
        boolean named = equals >= 0 && setting.startsWith(HASHED, equals + 1);
        String name = named ? setting.substring(0, equals) : "key-" + position;
        String value = named ? setting.substring(equals + 1) : setting;
        if (!isName(name)) {
            throw new IllegalArgumentException("must be NAME=sha256:HEX with a name of 1 to " + MAX_NAME_LENGTH
                    + " letters, digits, '.', '_' and '-'; number " + position + " has another");
        }
        if (!value.startsWith(HASHED)) {
            return new ApiKey(name, digest(value), true, false);
        }
        try {
            String hex = value.substring(HASHED.length());
            if (hex.length() == HEX_LENGTH) {
                return new ApiKey(name, HexFormat.of().parseHex(hex), false, false);
            }
        } catch (IllegalArgumentException _) {
            // Refused below, without its text.
        }
        throw new IllegalArgumentException(
                "must have " + HEX_LENGTH + " hexadecimal digits behind sha256:; number " + position + " has not");
    }

    private static boolean isName(String name) {
        return !name.isEmpty() && name.length() <= MAX_NAME_LENGTH && name.chars()
                .allMatch(c -> c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-');
    }

    /** What logs and limits call it. */
    public String name() {
        return name;
    }

    /** Whether it sees and cancels everybody's requests. */
    public boolean admin() {
        return admin;
    }

    /** Whether the setting was the key itself. */
    boolean plain() {
        return plain;
    }

    /** Takes the same time whatever differs. */
    boolean matches(byte[] sent) {
        return MessageDigest.isEqual(digest, sent);
    }

    static byte[] digest(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
