package dev.ringside.config;

/** A setting whose value can't be used; the start is refused with all three parts. */
final class InvalidSettingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String property;
    private final String value;
    private final String allowed;

    InvalidSettingException(String property, Object value, String allowed) {
        super(property + ": found '" + value + "', " + allowed);
        this.property = property;
        this.value = value.toString();
        this.allowed = allowed;
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

    String allowed() {
        return allowed;
    }
}
