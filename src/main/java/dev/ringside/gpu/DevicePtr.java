package dev.ringside.gpu;

/**
 * A range of memory that kernels can read and write: device memory on a GPU, off-heap memory on the CPU backend.
 *
 * <p>Bounds are checked when a range is cut and when an operation is called, not per element: kernels work on raw addresses.
 *
 * @param address address in the backend's address space, never 0 for a non-empty range
 * @param bytes length in bytes
 */
public record DevicePtr(long address, long bytes) {

    public DevicePtr {
        if (bytes < 0 || (address == 0 && bytes > 0)) {
            throw new IllegalArgumentException("Not a device range: address " + address + ", " + bytes + " bytes");
        }
    }

    /** The part of this range that starts at {@code offset} and is {@code length} bytes long. */
    public DevicePtr slice(long offset, long length) {
        if (offset < 0 || length < 0 || offset > bytes - length) {
            throw new IndexOutOfBoundsException(
                    "Slice [" + offset + ", " + offset + " + " + length + ") of " + bytes + " bytes of device memory");
        }
        return new DevicePtr(address + offset, length);
    }

    /** This range from {@code offset} to its end. */
    public DevicePtr from(long offset) {
        return slice(offset, bytes - offset);
    }

    /** Fails unless the range holds at least {@code needed} bytes. */
    public void require(long needed, String what) {
        if (bytes < needed) {
            throw new IllegalArgumentException(what + " needs " + needed + " bytes of device memory, got a range of " + bytes);
        }
    }
}
