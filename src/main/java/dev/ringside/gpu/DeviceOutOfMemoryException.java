package dev.ringside.gpu;

/** The device could not give the memory asked for. */
public final class DeviceOutOfMemoryException extends DeviceException {

    private static final long serialVersionUID = 1L;

    private final long requestedBytes;

    public DeviceOutOfMemoryException(String message, long requestedBytes) {
        super(message);
        this.requestedBytes = requestedBytes;
    }

    public long requestedBytes() {
        return requestedBytes;
    }
}
