package dev.ringside.gpu.cuda;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.DevicePtr;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The codebooks of the IQ1, IQ2 and IQ3 formats on the device, placed when the first of these types is used. Thread safe. */
final class Codebooks {

    private static final String RESOURCE = "/dev/ringside/gguf/iq-codebooks.bin";

    private final CudaBackend backend;
    private @Nullable DevicePtr tables;

    Codebooks(CudaBackend backend) {
        this.backend = backend;
    }

    /** Address of the tables, 0 for types that use none. */
    long address(GgmlType type) {
        return switch (type) {
            case IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S -> place().address();
            default -> 0;
        };
    }

    private synchronized DevicePtr place() {
        DevicePtr placed = tables;
        if (placed == null) {
            try (InputStream stream = Codebooks.class.getResourceAsStream(RESOURCE)) {
                if (stream == null) {
                    throw new DeviceException("The codebooks " + RESOURCE + " are missing from this build");
                }
                placed = backend.placeWeights(MemorySegment.ofArray(stream.readAllBytes()), "iq-codebooks.bin");
            } catch (IOException e) {
                throw new UncheckedIOException("The codebooks " + RESOURCE + " cannot be read", e);
            }
            tables = placed;
        }
        return placed;
    }
}
