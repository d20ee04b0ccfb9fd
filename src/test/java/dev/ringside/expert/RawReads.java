package dev.ringside.expert;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that read a file directly and do nothing else, into memory of the size of a staging ring: what reads of experts can reach at most. */
final class RawReads {

    private RawReads() {}

    /** @return GB/s */
    static double run(Path path, int threads, int block, long ringBytes) throws IOException, InterruptedException {
        try (PosixFile file = new PosixFile(path, true); Arena arena = Arena.ofShared()) {
            MemorySegment ring = arena.allocate(ringBytes, 4096).fill((byte) 1);
            long slots = ringBytes / block;
            long blocks = file.size() / block;
            AtomicLong next = new AtomicLong();
            List<Thread> running = new ArrayList<>();
            long begun = System.nanoTime();
            for (int i = 0; i < threads; i++) {
                running.add(Thread.ofPlatform().start(() -> {
                    for (long number = next.getAndIncrement(); number < blocks; number = next.getAndIncrement()) {
                        try {
                            if (file.read(number * block, ring, number % slots * block, block) != block) {
                                throw new IllegalStateException("A read was cut short");
                            }
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }
                }));
            }
            for (Thread thread : running) {
                thread.join();
            }
            return (double) blocks * block / (System.nanoTime() - begun);
        }
    }
}
