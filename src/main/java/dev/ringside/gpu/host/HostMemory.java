package dev.ringside.gpu.host;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The whole address space as one segment, so that kernels read and write {@link dev.ringside.gpu.DevicePtr} addresses without making
 * segments. Ranges are checked when an operation is called, never here.
 */
final class HostMemory {

    /** Offset = address. */
    static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private HostMemory() {}

    static float getFloat(long address) {
        return ALL.get(FLOAT, address);
    }

    static void setFloat(long address, float value) {
        ALL.set(FLOAT, address, value);
    }

    static int getInt(long address) {
        return ALL.get(INT, address);
    }

    static void setInt(long address, int value) {
        ALL.set(INT, address, value);
    }

    static long getLong(long address) {
        return ALL.get(LONG, address);
    }

    static byte getByte(long address) {
        return ALL.get(ValueLayout.JAVA_BYTE, address);
    }

    static short getShort(long address) {
        return ALL.get(SHORT, address);
    }

    static void copy(long source, long target, long bytes) {
        MemorySegment.copy(ALL, source, ALL, target, bytes);
    }

    /**
     * The address itself, which no process has beyond 56 bits: with what this tells the compiler, it leaves out the range checks of all
     * accesses that are a constant away. Checks take more instructions than the accesses, and hoisting them out of a loop takes as long as many
     * of its passes.
     */
    static long known(long address) {
        return address & 0x00FF_FFFF_FFFF_FFFFL;
    }
}
