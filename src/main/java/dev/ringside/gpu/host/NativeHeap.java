package dev.ringside.gpu.host;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The C library's allocator. Unlike {@link java.lang.foreign.Arena} it neither writes nor commits large memory before it is used, so an
 * expert arena of many gigabytes is there at once.
 */
final class NativeHeap {

    private static final MethodHandle MALLOC = handle("malloc", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
    private static final MethodHandle CALLOC = handle("calloc",
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    private static final MethodHandle FREE = handle("free", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));

    private NativeHeap() {}

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
    }

    /** Address of new memory, or 0 when there is none. */
    static long allocate(long bytes, boolean zeroed) {
        try {
            MemorySegment memory = zeroed
                    ? (MemorySegment) CALLOC.invokeExact(1L, bytes)
                    : (MemorySegment) MALLOC.invokeExact(bytes);
            return memory.address();
        } catch (Throwable e) {
            throw new IllegalStateException("The C library's allocator failed", e);
        }
    }

    static void free(long address) {
        try {
            FREE.invokeExact(MemorySegment.ofAddress(address));
        } catch (Throwable e) {
            throw new IllegalStateException("The C library's free failed", e);
        }
    }
}
