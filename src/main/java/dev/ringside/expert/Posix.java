package dev.ringside.expert;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The few Linux calls that reading experts needs and the JDK has no allocation-free form of: {@code pread} straight into a segment,
 * {@code O_DIRECT}, {@code statx}, {@code posix_fadvise} and {@code madvise}. Constants are those of 64-bit x86 and ARM.
 */
final class Posix {

    static final int EINTR = 4;
    static final int EIO = 5;
    static final int EINVAL = 22;

    private static final int O_CLOEXEC = 0x80000;
    private static final int AT_FDCWD = -100;
    private static final int STATX_DIOALIGN = 0x2000;
    private static final long STATX_BYTES = 256;
    private static final long STATX_MASK = 0;
    private static final long STATX_SIZE = 40;
    private static final long STATX_DIO_MEMORY_ALIGN = 0x98;
    private static final long STATX_DIO_OFFSET_ALIGN = 0x9c;
    private static final int STATX_ALL = 0xfff;
    private static final int FADV_RANDOM = 1;
    private static final int FADV_DONTNEED = 4;
    private static final int MADV_HUGEPAGE = 14;
    private static final int MADV_COLLAPSE = 25;
    private static final long PAGE = 4096;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(StructLayout.PathElement.groupElement("errno"));

    private Posix() {}

    /** Whether this is a platform that the constants hold for. */
    static boolean available() {
        String architecture = System.getProperty("os.arch", "");
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).equals("linux") && directFlag(architecture) != 0;
    }

    private static int directFlag(String architecture) {
        return switch (architecture) {
            case "amd64", "x86_64" -> 0x4000;
            case "aarch64" -> 0x10000;
            default -> 0;
        };
    }

    /** Memory that a call leaves its error number in; one for each thread. */
    static MemorySegment newErrorState() {
        return Arena.ofAuto().allocate(STATE);
    }

    static int open(Path path, boolean direct, MemorySegment state) throws IOException {
        int flags = O_CLOEXEC | (direct ? directFlag(System.getProperty("os.arch", "")) : 0);
        try (Arena arena = Arena.ofConfined()) {
            int descriptor = (int) Calls.OPEN.invokeExact(state, arena.allocateFrom(path.toString()), flags);
            if (descriptor < 0) {
                throw failed("open", state);
            }
            return descriptor;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reads up to {@code length} bytes to an address; 0 at the end of the file. */
    static long pread(int descriptor, long address, long length, long offset, MemorySegment state) throws IOException {
        long count;
        try {
            count = (long) Calls.PREAD.invokeExact(state, descriptor, address, length, offset);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        if (count < 0) {
            throw failed("pread", state);
        }
        return count;
    }

    static void close(int descriptor, MemorySegment state) throws IOException {
        try {
            if ((int) Calls.CLOSE.invokeExact(state, descriptor) < 0) {
                throw failed("close", state);
            }
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Tells the kernel that these bytes will not be read again soon. Advice: what it answers does not matter. */
    static void dropBehind(int descriptor, long offset, long length) {
        advise(descriptor, offset, length, FADV_DONTNEED);
    }

    /** Tells the kernel not to read ahead: experts are read whole and in no order. */
    static void randomAccess(int descriptor) {
        advise(descriptor, 0, 0, FADV_RANDOM);
    }

    /**
     * Asks for large pages behind memory that nothing was written to yet: pinning 4 KiB pages for every direct read halves its speed. Advice:
     * what the kernel answers does not matter.
     */
    static void largePages(MemorySegment memory) {
        advise(memory, MADV_HUGEPAGE);
    }

    /** The same for memory that is in use already; Linux 6.1 and later do it at once. */
    static void intoLargePages(MemorySegment memory) {
        advise(memory, MADV_HUGEPAGE);
        advise(memory, MADV_COLLAPSE);
    }

    private static void advise(MemorySegment memory, int advice) {
        if (!available()) {
            return;
        }
        long begin = memory.address() + PAGE - 1 & -PAGE;
        long end = memory.address() + memory.byteSize() & -PAGE;
        if (begin >= end) {
            return;
        }
        try {
            int ignored = (int) Calls.MADVISE.invokeExact(begin, end - begin, advice);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static void advise(int descriptor, long offset, long length, int advice) {
        try {
            int ignored = (int) Calls.FADVISE.invokeExact(descriptor, offset, length, advice);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * What {@code statx} says of a file.
     *
     * @param directAlignment alignment that direct reads need of offsets and memory; 0 when the file system refuses them, -1 when it does not say
     */
    record Status(long size, int directAlignment) {}

    static Status status(Path path, MemorySegment state) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(STATX_BYTES, 8);
            int result = (int) Calls.STATX.invokeExact(state, AT_FDCWD, arena.allocateFrom(path.toString()), 0, STATX_ALL | STATX_DIOALIGN,
                    buffer);
            if (result < 0) {
                throw failed("statx", state);
            }
            boolean told = (buffer.get(ValueLayout.JAVA_INT, STATX_MASK) & STATX_DIOALIGN) != 0;
            int alignment = Math.max(buffer.get(ValueLayout.JAVA_INT, STATX_DIO_MEMORY_ALIGN),
                    buffer.get(ValueLayout.JAVA_INT, STATX_DIO_OFFSET_ALIGN));
            return new Status(buffer.get(ValueLayout.JAVA_LONG, STATX_SIZE), told ? alignment : -1);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static IOException failed(String call, MemorySegment state) {
        int number = (int) ERRNO.get(state, 0L);
        String name = switch (number) {
            case 2 -> "no such file";
            case EINTR -> "interrupted (EINTR)";
            case EIO -> "input/output error (EIO)";
            case 13 -> "permission denied";
            case EINVAL -> "invalid argument (EINVAL)";
            case 24 -> "too many open files";
            default -> "error " + number;
        };
        return number == EINVAL ? new UnalignedReadException(call + ": " + name) : new IOException(call + ": " + name);
    }

    /** Linked on first use, so that other platforms can load the class around it. */
    private static final class Calls {

        static final MethodHandle OPEN = handle("open", true,
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
        static final MethodHandle CLOSE = handle("close", true, FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        static final MethodHandle PREAD = handle("pread", true, FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
        static final MethodHandle STATX = handle("statx", true, FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
        static final MethodHandle FADVISE = handle("posix_fadvise", false, FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));

        static final MethodHandle MADVISE = handle("madvise", false,
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));

        private static MethodHandle handle(String name, boolean errno, FunctionDescriptor descriptor) {
            Linker linker = Linker.nativeLinker();
            MemorySegment symbol = linker.defaultLookup().findOrThrow(name);
            return errno
                    ? linker.downcallHandle(symbol, descriptor, Linker.Option.captureCallState("errno"))
                    : linker.downcallHandle(symbol, descriptor);
        }
    }
}
