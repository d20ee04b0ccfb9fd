package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShardFileTest {

    private static final int SIZE = 300_001;
    private static final int ROOM = 8192;

    @TempDir
    Path directory;

    private final FaultyFiles files = new FaultyFiles();
    private final ManualClock clock = new ManualClock();
    private final byte[] content = new byte[SIZE];
    private Path path = Path.of("");
    private Arena arena = Arena.global();

    @BeforeEach
    void write() throws IOException {
        new Random(1).nextBytes(content);
        path = directory.resolve("shard.gguf");
        Files.write(path, content);
        arena = Arena.ofShared();
    }

    @AfterEach
    void free() {
        arena.close();
    }

    private ShardFile open(boolean direct) throws IOException {
        return new ShardFile(path, direct, ReadOptions.DEFAULT.withRetries(3, Duration.ZERO).withOpenFor(Duration.ofSeconds(5), clock),
                files);
    }

    private ShardFile openDirect() throws IOException {
        ShardFile shard = open(true);
        if (!shard.direct()) {
            shard.close();
        }
        Assumptions.assumeTrue(shard.direct(), "this file system takes no direct reads");
        return shard;
    }

    private boolean matches(MemorySegment memory, long at, long offset, long length) {
        return MemorySegment.mismatch(memory, at, at + length, MemorySegment.ofArray(content), offset, offset + length) < 0;
    }

    private void assertReads(ShardFile shard, long offset, long length, boolean room) throws IOException {
        MemorySegment memory = arena.allocate(length + 2 * ROOM, 4096);
        long at = room ? 4096 + (offset & 4095) : 77;
        shard.read(offset, memory, at, length, room);
        assertThat(matches(memory, at, offset, length)).as("%d bytes at %d, room %s", length, offset, room).isTrue();
        if (!room) {
            assertThat(memory.get(ValueLayout.JAVA_BYTE, at - 1)).isZero();
            assertThat(memory.get(ValueLayout.JAVA_BYTE, at + length)).isZero();
        }
    }

    static long[] seeds() {
        return Seeds.of(5).toArray();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void directReadsGiveTheBytesAtAnyOffsetAndLength(long seed) throws IOException {
        Random random = new Random(seed);
        try (ShardFile shard = openDirect()) {
            for (int i = 0; i < 100; i++) {
                int offset = random.nextInt(SIZE - 1);
                int length = 1 + random.nextInt(random.nextBoolean() ? SIZE - offset : Math.min(700, SIZE - offset));
                assertReads(shard, offset, length, random.nextBoolean());
            }
            assertReads(shard, 0, SIZE, true);
            assertReads(shard, 0, SIZE, false);
            assertReads(shard, SIZE - 1, 1, true);
            assertThat(shard.snapshot().reads()).isEqualTo("direct");
            assertThat(shard.snapshot().alignment()).isGreaterThanOrEqualTo(512);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shortReadsGoOnUntilAllBytesAreIn(boolean direct) throws IOException {
        Random random = new Random(3);
        files.failWith((file, past, offset, length) -> past
                ? Math.min(length, 4096L * (1 + random.nextInt(3)))
                : 1 + random.nextInt((int) length));
        try (ShardFile shard = direct ? openDirect() : open(false)) {
            for (int i = 0; i < 20; i++) {
                int offset = random.nextInt(SIZE / 2);
                assertReads(shard, offset, SIZE / 2, i % 2 == 0);
            }
            assertThat(shard.snapshot().retries()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fileThatEndsTooEarlyIsNamedWithBothLengths(boolean direct) throws IOException {
        try (ShardFile shard = direct ? openDirect() : open(false)) {
            MemorySegment memory = arena.allocate(40_000, 4096);
            assertThatThrownBy(() -> shard.read(SIZE - 1000, memory, 4096 + (SIZE - 1000 & 4095), 5000, true))
                    .isInstanceOf(EOFException.class)
                    .hasMessageContaining("after 1000 of 5000").hasMessageContaining(SIZE + " bytes");
            assertThat(shard.snapshot().retries()).isZero();
            assertThat(shard.snapshot().breaker()).isEqualTo("closed");
        }
    }

    @Test
    void refusedDirectReadFallsBackOnceAndStaysBuffered() throws IOException {
        try (ShardFile shard = openDirect()) {
            files.failWith((file, direct, offset, length) -> {
                if (direct) {
                    throw new UnalignedReadException("pread: invalid argument (EINVAL)");
                }
                return length;
            });
            assertReads(shard, 1234, 50_000, true);
            files.failNever();
            assertReads(shard, 1234, 50_000, false);
            assertThat(shard.snapshot().reads()).isEqualTo("buffered");
            assertThat(shard.snapshot().fallbacks()).isEqualTo(1);
            assertThat(shard.snapshot().failures()).isZero();
        }
    }

    @Test
    void transientFaultsAreTriedAgain() throws IOException {
        AtomicInteger left = new AtomicInteger(3);
        files.failWith((file, direct, offset, length) -> {
            if (left.getAndDecrement() > 0) {
                throw new IOException("pread: input/output error (EIO)");
            }
            return length;
        });
        try (ShardFile shard = open(false)) {
            assertReads(shard, 10, 1000, false);
            assertThat(shard.snapshot().retries()).isEqualTo(3);
            assertThat(shard.snapshot().failures()).isZero();
        }
    }

    private void fail(ShardFile shard, int times) {
        MemorySegment memory = arena.allocate(100);
        for (int i = 0; i < times; i++) {
            assertThatThrownBy(() -> shard.read(0, memory, 0, 100, false)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shardThatFailsRepeatedlyIsLeftAloneAndRecoversByAProbe() throws IOException {
        try (ShardFile shard = open(false)) {
            files.failWith((file, direct, offset, length) -> {
                throw new IOException("pread: input/output error (EIO)");
            });
            fail(shard, ShardBreaker.MINIMUM_CALLS);
            assertThat(shard.snapshot().breaker()).isEqualTo("open");
            assertThat(shard.snapshot().usable()).isFalse();
            int before = files.reads.get();
            fail(shard, 10);
            assertThat(files.reads).hasValue(before);
            assertThat(shard.snapshot().rejected()).isEqualTo(10);

            clock.advance(Duration.ofSeconds(6));
            assertThat(shard.snapshot().breaker()).isEqualTo("half-open");
            fail(shard, 2);
            assertThat(shard.snapshot().breaker()).isEqualTo("open");

            files.failNever();
            clock.advance(Duration.ofSeconds(6));
            assertReads(shard, 10, 1000, false);
            assertReads(shard, 10, 1000, false);
            assertThat(shard.snapshot().breaker()).isEqualTo("closed");
        }
    }

    @Test
    void faultsAmongManySuccessesDoNotOpenTheBreaker() throws IOException {
        AtomicInteger count = new AtomicInteger();
        files.failWith((file, direct, offset, length) -> {
            if (offset == 0) {
                throw new IOException("pread: input/output error (EIO)");
            }
            return length;
        });
        try (ShardFile shard = open(false)) {
            for (int i = 0; i < 200; i++) {
                if (count.incrementAndGet() % 5 == 0) {
                    fail(shard, 1);
                } else {
                    assertReads(shard, 10, 1000, false);
                }
            }
            assertThat(shard.snapshot().breaker()).isEqualTo("closed");
            assertThat(shard.snapshot().failures()).isEqualTo(40);
        }
    }

    @Test
    void readsAfterCloseAreRefused() throws IOException {
        ShardFile shard = open(false);
        shard.close();
        shard.close();
        assertThatThrownBy(() -> shard.read(0, arena.allocate(10), 0, 10, false)).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readsAllocateNothing(boolean direct) throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ReadOptions options = ReadOptions.DEFAULT.withKeepPageCache(true);
        try (ShardFile shard = new ShardFile(path, direct, options, PositionalFile.Opener.platform())) {
            MemorySegment memory = arena.allocate(20_000, 4096);
            for (int i = 0; i < 20_000; i++) {
                shard.read(4096, memory, 4096, 4096, true);
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 10_000; i++) {
                shard.read(4096, memory, 4096, 4096, true);
            }
            // A view of the target where the compiler does not see through it, and nothing else.
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000 * 64);
        }
    }
}
