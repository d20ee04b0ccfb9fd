package dev.ringside.cli;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** How fast this machine reads memory: several threads sum a buffer that is larger than the caches; the best of some passes counts. */
final class MemoryBandwidth {

    private static final VectorSpecies<Long> SPECIES = LongVector.SPECIES_PREFERRED;
    private static final int UNROLL = 4;
    private static final int PASSES = 6;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    private MemoryBandwidth() {}

    /**
     * Bytes a second.
     *
     * @param threads threads that read, each its own part
     * @param bytes size of the buffer
     */
    static double measure(int threads, long bytes) {
        long stride = (long) SPECIES.vectorByteSize() * UNROLL;
        long part = Math.max(stride, bytes / threads / stride * stride);
        AtomicLong sum = new AtomicLong();
        double best = 0;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(part * threads, 4096);
            for (int pass = 0; pass < PASSES; pass++) {
                long start = System.nanoTime();
                Thread[] readers = new Thread[threads];
                for (int i = 0; i < threads; i++) {
                    MemorySegment slice = buffer.asSlice(i * part, part);
                    readers[i] = Thread.ofPlatform().name("bandwidth-" + i).start(() -> sum.addAndGet(sum(slice)));
                }
                join(readers);
                best = Math.max(best, part * threads * 1e9 / (System.nanoTime() - start));
            }
        }
        return best;
    }

    private static long sum(MemorySegment memory) {
        int bytes = SPECIES.vectorByteSize();
        LongVector a = LongVector.zero(SPECIES);
        LongVector b = a;
        LongVector c = a;
        LongVector d = a;
        for (long at = 0; at < memory.byteSize(); at += (long) UNROLL * bytes) {
            a = a.add(LongVector.fromMemorySegment(SPECIES, memory, at, ORDER));
            b = b.add(LongVector.fromMemorySegment(SPECIES, memory, at + bytes, ORDER));
            c = c.add(LongVector.fromMemorySegment(SPECIES, memory, at + 2L * bytes, ORDER));
            d = d.add(LongVector.fromMemorySegment(SPECIES, memory, at + 3L * bytes, ORDER));
        }
        return a.add(b).add(c.add(d)).reduceLanes(VectorOperators.ADD);
    }

    private static void join(Thread[] threads) {
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CommandException("interrupted while measuring memory bandwidth", e);
            }
        }
    }
}
