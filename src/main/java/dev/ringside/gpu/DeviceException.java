package dev.ringside.gpu;

/** A device call failed. The message names the call, the cause and the remedy. */
public class DeviceException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public DeviceException(String message) {
        super(message);
    }

    public DeviceException(String message, Throwable cause) {
        super(message, cause);
    }
}
