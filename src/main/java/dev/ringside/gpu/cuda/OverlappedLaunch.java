package dev.ringside.gpu.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Launches kernels that may start while the one in front of them is still running (programmatic dependent launch). It is the one call of the
 * driver that JCuda lacks, so that it goes to the driver directly; see docs/adr/0005-overlapped-launches.md.
 */
final class OverlappedLaunch {

    private static final String CALL = "cuLaunchKernelEx";
    /** From here on graphs of recorded streams keep such launches as they are. */
    private static final int LEAST_DRIVER = 12_030;
    private static final int LEAST_MAJOR = 9;

    /** Where the fields of {@code CUlaunchConfig} lie: six sizes and the bytes of shared memory, then stream, attributes and their count. */
    private static final int SHARED_BYTES = 24;

    private static final int STREAM = 32;
    private static final int ATTRIBUTES = 40;
    private static final int COUNT = 48;
    private static final int CONFIG_BYTES = 56;
    /** {@code CUlaunchAttribute}: a number, and a value of 64 bytes behind it. */
    private static final int VALUE = 8;

    private static final int ATTRIBUTE_BYTES = 72;
    private static final int PROGRAMMATIC_STREAM_SERIALIZATION = 6;

    private final MethodHandle call;

    private OverlappedLaunch(MethodHandle call) {
        this.call = call;
    }

    /** Null where the device or its driver knows no such launches; kernels are then launched one behind the other. */
    static @Nullable OverlappedLaunch on(DeviceFacts facts) {
        if (facts.major() < LEAST_MAJOR || facts.driverVersion() < LEAST_DRIVER) {
            return null;
        }
        boolean windows = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows");
        try {
            // The library is the one that JCuda has loaded: the system gives the same handle for the same name.
            return SymbolLookup.libraryLookup(windows ? "nvcuda.dll" : "libcuda.so.1", Arena.global()).find(CALL)
                    .map(symbol -> new OverlappedLaunch(Linker.nativeLinker().downcallHandle(symbol,
                            FunctionDescriptor.of(ValueLayout.JAVA_INT,
                                    ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG))))
                    .orElse(null);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** What launches on a stream fill in: one launch at a time. */
    static MemorySegment config(Arena arena, long stream) {
        MemorySegment config = arena.allocate(CONFIG_BYTES + ATTRIBUTE_BYTES, 8);
        config.set(ValueLayout.JAVA_LONG, STREAM, stream);
        config.set(ValueLayout.JAVA_LONG, ATTRIBUTES, config.address() + CONFIG_BYTES);
        config.set(ValueLayout.JAVA_INT, COUNT, 1);
        config.set(ValueLayout.JAVA_INT, CONFIG_BYTES, PROGRAMMATIC_STREAM_SERIALIZATION);
        config.set(ValueLayout.JAVA_INT, CONFIG_BYTES + VALUE, 1);
        return config;
    }

    /**
     * As {@link Driver#launch}.
     *
     * @param config that of the stream
     */
    int launch(MemorySegment config, long function, int gridX, int gridY, int gridZ, int threads, int sharedBytes, long parameters) {
        config.setAtIndex(ValueLayout.JAVA_INT, 0, gridX);
        config.setAtIndex(ValueLayout.JAVA_INT, 1, gridY);
        config.setAtIndex(ValueLayout.JAVA_INT, 2, gridZ);
        config.setAtIndex(ValueLayout.JAVA_INT, 3, threads);
        config.setAtIndex(ValueLayout.JAVA_INT, 4, 1);
        config.setAtIndex(ValueLayout.JAVA_INT, 5, 1);
        config.set(ValueLayout.JAVA_INT, SHARED_BYTES, sharedBytes);
        try {
            return (int) call.invokeExact(config, function, parameters, 0L);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(CALL + " throws nothing", e);
        }
    }
}
