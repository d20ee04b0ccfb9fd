package dev.ringside.config;

/** A setting whose value can't be used; the start is refused with all three parts. */
final class InvalidSettingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String property;
    private final String value;
    private final String allowed;

    private final boolean secret;

    InvalidSettingException(String property, Object value, String allowed) {
        this(property, value, allowed, false);
    }

    private InvalidSettingException(String property, Object value, String allowed, boolean secret) {
        super(property + ": found '" + value + "', " + allowed);
        this.property = property;
        this.value = value.toString();
        this.allowed = allowed;
        this.secret = secret;
    }

    /** For a setting whose value must not be shown. */
    static InvalidSettingException hiding(String property, String allowed) {
        return new InvalidSettingException(property, "(hidden)", allowed, true);
    }

    static void require(boolean condition, String property, Object value, String allowed) {
        if (!condition) {
            throw new InvalidSettingException(property, value, allowed);
        }
    }

    String property() {
        return property;
    }

    String value() {
        return value;
    }

    /** Whether nobody may look up what the setting was. */
    boolean secret() {
        return secret;
    }

    String allowed() {
        return allowed;
    }
}
