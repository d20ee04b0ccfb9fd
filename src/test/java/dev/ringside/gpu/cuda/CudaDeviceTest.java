package dev.ringside.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gpu.DeviceMemory;
import dev.ringside.gpu.DeviceOutOfMemoryException;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuEvent;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.PinnedBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Memory, streams, events and copies of a real device. */
@EnabledIf(value = "hasDevice", disabledReason = "There is no CUDA device here")
class CudaDeviceTest {

    private CudaBackend backend;
    private GpuStream stream;

    static boolean hasDevice() {
        return CudaBackend.obstacle() == null;
    }

    @BeforeEach
    void open() {
        backend = CudaBackend.create();
        stream = backend.createStream();
    }

    @AfterEach
    void close() {
        backend.close();
    }

    private static MemorySegment random(Arena arena, long bytes) {
        MemorySegment memory = arena.allocate(bytes, 8);
        Random random = new Random(7);
        for (long i = 0; i < bytes / 8; i++) {
            memory.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextLong());
        }
        return memory;
    }

    @Test
    void whatGoesToTheDeviceComesBack() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment source = random(arena, 1 << 20);
            DevicePtr a = backend.allocate(1 << 20, "test");
            DevicePtr b = backend.allocate(1 << 20, "test");
            MemorySegment target = arena.allocate(1 << 20);
            backend.copyToDevice(source, 0, a, 0, 1 << 20, stream);
            backend.copy(a, 64, b, 0, 4096, stream);
            backend.zero(b, 1024, 1024, stream);
            backend.copyToHost(b, 0, target, 0, 1 << 20, stream);
            stream.synchronize();
            assertThat(target.asSlice(0, 1024).mismatch(source.asSlice(64, 1024))).isEqualTo(-1);
            assertThat(target.asSlice(1024, 1024).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
            assertThat(target.asSlice(2048, 2048).mismatch(source.asSlice(64 + 2048, 2048))).isEqualTo(-1);
            assertThat(target.asSlice(4096).toArray(ValueLayout.JAVA_BYTE)).as("fresh memory").containsOnly(0);
        }
    }

    @Test
    void bytesOfTheHeapAreCopiedToo() {
        byte[] source = {1, 2, 3, 4, 5, 6, 7, 8};
        byte[] target = new byte[8];
        DevicePtr memory = backend.allocate(8, "test");
        backend.copyToDevice(MemorySegment.ofArray(source), 0, memory, 0, 8, stream);
        backend.copyToHost(memory, 2, MemorySegment.ofArray(target), 1, 6, stream);
        assertThat(target).containsExactly(0, 3, 4, 5, 6, 7, 8, 0);
    }

    @Test
    void placedWeightsAreTheBytesOfTheFile() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment source = random(arena, 70L << 20);
            DevicePtr weights = backend.placeWeights(source, "test");
            MemorySegment target = arena.allocate(source.byteSize());
            backend.copyToHost(weights, 0, target, 0, source.byteSize(), stream);
            stream.synchronize();
            assertThat(target.mismatch(source)).isEqualTo(-1);
            assertThat(backend.memory().weightBytes()).isEqualTo(source.byteSize());
        }
    }

    @Test
    void pinnedMemoryBeyondTwoGigabytesIsReachedByTheDevice() {
        long bytes = (2L << 30) + 8192;
        PinnedBuffer buffer = backend.allocatePinned(bytes, "test");
        buffer.memory().set(ValueLayout.JAVA_LONG, bytes - 8, 42);
        DevicePtr memory = backend.allocate(8, "test");
        backend.copy(buffer.device(), bytes - 8, memory, 0, 8, stream);
        backend.copyToHost(memory, 0, buffer.memory(), 0, 8, stream);
        stream.synchronize();
        assertThat(buffer.memory().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
        assertThat(backend.memory().pinnedBytes()).isEqualTo(bytes);
        backend.freePinned(buffer);
        assertThat(backend.memory().pinnedBytes()).isZero();
    }

    @Test
    void anEventIsCompleteOnceItsStreamHasPassedIt() {
        try (GpuEvent event = backend.createEvent()) {
            assertThat(event.isComplete()).isTrue();
            DevicePtr memory = backend.allocate(1L << 30, "test");
            for (int i = 0; i < 20; i++) {
                backend.zero(memory, 0, 1L << 30, stream);
            }
            event.record(stream);
            event.await();
            assertThat(event.isComplete()).isTrue();
        }
    }

    @Test
    void memoryThatIsNotThereIsRefusedWithWhatIsFreeAndTheNextCallWorks() {
        long bytes = backend.device().totalBytes() * 2;
        assertThatThrownBy(() -> backend.allocate(bytes, "key/value pages")).isInstanceOf(DeviceOutOfMemoryException.class)
                .hasMessageContaining("key/value pages needs " + bytes).hasMessageContaining("are free of")
                .hasMessageContaining("ringside.state.memory-bytes");
        assertThatThrownBy(() -> backend.allocateArena(bytes)).isInstanceOf(DeviceOutOfMemoryException.class)
                .hasMessageContaining("ringside.experts.arena-bytes");
        assertThat(backend.memory()).isEqualTo(new DeviceMemory(0, 0, 0, 0));
        backend.free(backend.allocate(16, "test"));
        assertThat(backend.fault()).isNull();
    }
}
