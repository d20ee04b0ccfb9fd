package dev.ringside.expert;

import java.io.IOException;

/** The system refused a read as invalid, which for a direct read means that the file system wants something else. */
final class UnalignedReadException extends IOException {

    private static final long serialVersionUID = 1L;

    UnalignedReadException(String message) {
        super(message);
    }
}
