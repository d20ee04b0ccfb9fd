package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.DeviceMemory;
import dev.ringside.gpu.DeviceOutOfMemoryException;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuEvent;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.PinnedBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HostBackendTest {

    private final HostBackend backend = HostBackend.create(2);

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void theDeviceIsDescribed() {
        assertThat(backend.device().backend()).isEqualTo("cpu");
        assertThat(backend.device().unifiedMemory()).isTrue();
        assertThat(backend.device().name()).isNotBlank();
        assertThat(backend.device().detail()).startsWith("2 threads, ").endsWith("-bit vectors");
        assertThat(backend.device().totalBytes()).isPositive();
    }

    @Test
    void allocationsAreAlignedZeroedAndCounted() {
        DevicePtr first = backend.allocate(1001, "test");
        DevicePtr second = backend.allocate(3, "test");
        assertThat(first.address() % 256).isZero();
        assertThat(second.address() % 256).isZero();
        for (int i = 0; i < 1001; i++) {
            assertThat(HostMemory.getByte(first.address() + i)).isZero();
        }
        assertThat(backend.memory()).isEqualTo(new DeviceMemory(1004, 0, 0, 0));
        backend.free(first);
        backend.free(second);
        assertThat(backend.memory()).isEqualTo(new DeviceMemory(0, 0, 0, 0));
    }

    @Test
    void anArenaIsPageAlignedAndOutsideOfTheAllocations() {
        DevicePtr arena = backend.allocateArena(5L << 30);
        assertThat(arena.address() % 4096).isZero();
        HostMemory.setInt(arena.address() + (5L << 30) - 4, 7);
        assertThat(backend.memory()).isEqualTo(new DeviceMemory(0, 5L << 30, 0, 0));
        backend.freeArena(arena);
        assertThat(backend.memory().arenaBytes()).isZero();
    }

    @Test
    void pinnedMemoryIsTheSameBytesForTheHostAndForKernels() {
        PinnedBuffer buffer = backend.allocatePinned(8192, "test");
        assertThat(buffer.device().address() % 4096).isZero();
        buffer.memory().set(ValueLayout.JAVA_INT, 4096, 42);
        assertThat(HostMemory.getInt(buffer.device().address() + 4096)).isEqualTo(42);
        assertThat(backend.memory().pinnedBytes()).isEqualTo(8192);
        backend.freePinned(buffer);
        assertThat(backend.memory().pinnedBytes()).isZero();
        assertThatThrownBy(() -> buffer.memory().get(ValueLayout.JAVA_INT, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void freeingTwiceIsRefused() {
        DevicePtr memory = backend.allocate(64, "test");
        DevicePtr arena = backend.allocateArena(64);
        PinnedBuffer pinned = backend.allocatePinned(64, "test");
        backend.free(memory);
        backend.freeArena(arena);
        backend.freePinned(pinned);
        assertThatThrownBy(() -> backend.free(memory)).isInstanceOf(DeviceException.class).hasMessageContaining("freed twice");
        assertThatThrownBy(() -> backend.freeArena(arena)).isInstanceOf(DeviceException.class).hasMessageContaining("freed twice");
        assertThatThrownBy(() -> backend.freePinned(pinned)).isInstanceOf(DeviceException.class).hasMessageContaining("freed twice");
    }

    @Test
    void memoryIsFreedAsWhatItIs() {
        DevicePtr memory = backend.allocate(64, "test");
        assertThatThrownBy(() -> backend.freeArena(memory)).isInstanceOf(DeviceException.class).hasMessageContaining("ALLOCATION");
        assertThatThrownBy(() -> backend.free(memory.slice(0, 32))).isInstanceOf(DeviceException.class).hasMessageContaining("64 bytes");
        backend.free(memory);
    }

    @Test
    void moreThanTheMachineHasIsRefusedWithPurposeAndSize() {
        long bytes = 1L << 60;
        assertThatThrownBy(() -> backend.allocate(bytes, "key/value pages")).isInstanceOf(DeviceOutOfMemoryException.class)
                .hasMessageContaining("key/value pages").hasMessageContaining(Long.toString(bytes))
                .satisfies(e -> assertThat(((DeviceOutOfMemoryException) e).requestedBytes()).isEqualTo(bytes));
        assertThatThrownBy(() -> backend.allocateArena(Long.MAX_VALUE)).isInstanceOf(DeviceOutOfMemoryException.class);
        assertThat(backend.memory()).isEqualTo(new DeviceMemory(0, 0, 0, 0));
    }

    @Test
    void weightsAreReadInPlace() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment weights = arena.allocate(100);
            assertThat(backend.placeWeights(weights, "blk.0.attn_q.weight")).isEqualTo(new DevicePtr(weights.address(), 100));
            assertThat(backend.memory().weightBytes()).isEqualTo(100);
        }
        assertThatThrownBy(() -> backend.placeWeights(MemorySegment.ofArray(new byte[8]), "output.weight"))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("output.weight");
    }

    @Test
    void copiesAreDoneWhenTheyReturn() {
        GpuStream stream = backend.createStream();
        DevicePtr a = backend.allocate(64, "test");
        DevicePtr b = backend.allocate(64, "test");
        byte[] bytes = {0, 1, 2, 3, 4, 5, 6, 7};
        MemorySegment back = MemorySegment.ofArray(new byte[8]);
        backend.copyToDevice(MemorySegment.ofArray(bytes), 2, a, 10, 4, stream);
        backend.copy(a, 10, b, 20, 4, stream);
        backend.zero(b, 21, 1, stream);
        backend.copyToHost(b, 19, back, 1, 6, stream);
        assertThat(back.toArray(ValueLayout.JAVA_BYTE)).containsExactly(0, 0, 2, 0, 4, 5, 0, 0);
        GpuEvent event = backend.createEvent();
        assertThat(event.isComplete()).isTrue();
        event.record(stream);
        assertThat(event.isComplete()).isTrue();
        event.await();
        stream.synchronize();
    }

    @Test
    void copiesOutsideOfARangeAreRefused() {
        GpuStream stream = backend.createStream();
        DevicePtr memory = backend.allocate(64, "test");
        MemorySegment host = MemorySegment.ofArray(new byte[128]);
        assertThatThrownBy(() -> backend.copyToDevice(host, 0, memory, 1, 64, stream)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> backend.copyToHost(memory, 60, host, 0, 5, stream)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> backend.copy(memory, -1, memory, 32, 1, stream)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> backend.zero(memory, 0, 65, stream)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void aStreamHasOneSetOfKernels() {
        GpuStream stream = backend.createStream();
        assertThat(backend.kernels(stream)).isSameAs(backend.kernels(stream)).isNotSameAs(backend.kernels(backend.createStream()));
        try (HostBackend other = HostBackend.create(1)) {
            assertThatThrownBy(() -> other.kernels(stream)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not made by");
        }
    }

    @Test
    void closingFreesEverythingOnce() {
        PinnedBuffer pinned = backend.allocatePinned(64, "test");
        backend.allocate(64, "test");
        backend.allocateArena(64);
        backend.kernels(backend.createStream());
        backend.close();
        backend.close();
        assertThat(backend.memory()).isEqualTo(new DeviceMemory(0, 0, 0, 0));
        assertThat(pinned.memory().scope().isAlive()).isFalse();
        assertThatThrownBy(() -> backend.allocate(1, "test")).isInstanceOf(DeviceException.class).hasMessageContaining("closed");
    }

    @Test
    void threadsAreChecked() {
        assertThatThrownBy(() -> HostBackend.create(-1)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("-1");
        try (HostBackend all = HostBackend.create(0)) {
            assertThat(all.device().detail()).startsWith(Runtime.getRuntime().availableProcessors() + " thread");
        }
    }

    @Test
    void aMissingVectorModuleOrCompilerIsNamedWithItsFlag() {
        assertThatCode(() -> CpuSupport.check(true, "mixed mode, sharing", "4")).doesNotThrowAnyException();
        assertThatThrownBy(() -> CpuSupport.check(false, "mixed mode", "4")).isInstanceOf(DeviceException.class)
                .hasMessageContaining("--add-modules jdk.incubator.vector");
        assertThatThrownBy(() -> CpuSupport.check(true, "mixed mode", "1")).isInstanceOf(DeviceException.class)
                .hasMessageContaining("-XX:TieredStopAtLevel=1");
        assertThatThrownBy(() -> CpuSupport.check(true, "interpreted mode", "4")).isInstanceOf(DeviceException.class)
                .hasMessageContaining("-Xint");
    }

    @Test
    void theProcessorsNameIsReadFromTheSystem() {
        assertThat(CpuSupport.processorName(List.of("processor\t: 0", "model name\t: Fast CPU @ 3 GHz", "model name\t: other")))
                .isEqualTo("Fast CPU @ 3 GHz");
        assertThat(CpuSupport.processorName(List.of("Features : fp asimd"))).isEqualTo(System.getProperty("os.arch"));
    }
}
