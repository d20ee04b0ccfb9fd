package dev.ringside.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;
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
import org.junit.jupiter.api.Test;

/** Memory, streams, errors and close, on a driver that only records. */
class CudaBackendTest {

    private final RecordingDriver driver = new RecordingDriver();
    private final CudaBackend backend = new CudaBackend(driver);

    @Test
    void memoryIsZeroedAndCountedAsWhatItIsFor() {
        DevicePtr memory = backend.allocate(1000, "test");
        DevicePtr arena = backend.allocateArena(5000);
        PinnedBuffer pinned = backend.allocatePinned(300, "test");

        assertThat(driver.calls).contains("zero 1000").doesNotContain("zero 5000");
        assertThat(arena.address() % 4096).isZero();
        assertThat(backend.memory()).isEqualTo(new DeviceMemory(1000, 5000, 300, 0));
        backend.free(memory);
        backend.freeArena(arena);
        backend.freePinned(pinned);
        assertThat(backend.memory()).isEqualTo(new DeviceMemory(0, 0, 0, 0));
    }

    @Test
    void aRangeIsFreedOnceAndAsWhatItIs() {
        DevicePtr memory = backend.allocate(1000, "test");
        assertThatThrownBy(() -> backend.freeArena(memory)).isInstanceOf(DeviceException.class).hasMessageContaining("ALLOCATION");
        backend.free(memory);
        assertThatThrownBy(() -> backend.free(memory)).isInstanceOf(DeviceException.class).hasMessageContaining("freed twice");
    }

    @Test
    void memoryThatIsNotThereIsNamedWithWhatIsFreeAndWhatToLower() {
        driver.freeBytes = 700;
        assertThatThrownBy(() -> backend.allocate(1000, "Key/value pages")).isInstanceOf(DeviceOutOfMemoryException.class)
                .hasMessageContaining("Key/value pages needs 1000 bytes").hasMessageContaining("700 are free")
                .hasMessageContaining("ringside.state.memory-bytes");
        driver.failures.put("register", DriverCode.OUT_OF_MEMORY);
        assertThatThrownBy(() -> backend.allocatePinned(1000, "Logits")).isInstanceOf(DeviceOutOfMemoryException.class)
                .hasMessageContaining("Logits needs 1000 bytes of page-locked").hasMessageContaining("ringside.experts.staging-slots");
        assertThat(backend.memory()).isEqualTo(new DeviceMemory(0, 0, 0, 0));
        assertThat(backend.allocate(500, "test").bytes()).isEqualTo(500);
    }

    @Test
    void anErrorOfOneCallDoesNotMarkTheDevice() {
        driver.failures.put("copy", 1);
        DevicePtr memory = backend.allocate(64, "test");
        GpuStream stream = backend.createStream();
        assertThatThrownBy(() -> backend.copy(memory, 0, memory, 32, 32, stream)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("Copying within the device failed: CUDA_ERROR_1");
        assertThat(backend.fault()).isNull();
        backend.copy(memory, 0, memory, 32, 32, stream);
    }

    @Test
    void aFaultIsRememberedAndNamedByEveryLaterFailure() {
        GpuStream stream = backend.createStream();
        driver.failures.put("synchronize", 700);
        assertThatThrownBy(stream::synchronize).isInstanceOf(DeviceException.class).hasMessageContaining("unusable from here on")
                .hasMessageContaining("CUDA_ERROR_700");
        driver.failures.put("allocate", 719);
        assertThatThrownBy(() -> backend.allocate(8, "test")).isInstanceOf(DeviceException.class)
                .hasMessageContaining("unusable since Waiting")
                .hasMessageContaining("CUDA_ERROR_719");
        assertThat(backend.fault()).contains("Waiting for a stream").contains("700");
    }

    @Test
    void weightsGoThroughPageLockedMemoryInPieces() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment weights = arena.allocate((40L << 20) + 3);
            backend.placeWeights(weights, "blk.0.ffn_down.weight");
        }
        assertThat(driver.calls).contains("register " + (32L << 20), "to-device " + (16L << 20), "to-device " + ((8L << 20) + 3));
        assertThat(backend.memory().weightBytes()).isEqualTo((40L << 20) + 3);
    }

    @Test
    void anEventThatWasNeverRecordedIsComplete() {
        try (GpuEvent event = backend.createEvent()) {
            driver.failures.put("query", DriverCode.NOT_READY);
            assertThat(event.isComplete()).isTrue();
            event.await();
            event.record(backend.createStream());
            assertThat(event.isComplete()).isFalse();
            assertThat(event.isComplete()).isTrue();
        }
    }

    @Test
    void sourcesOfCopiesAreKeptUntilTheirStreamIsDrained() {
        CudaStream stream = (CudaStream) backend.createStream();
        DevicePtr memory = backend.allocate(8, "test");
        try (Arena arena = Arena.ofShared()) {
            for (int i = 0; i < 300; i++) {
                backend.copyToDevice(arena.allocate(8), 0, memory, 0, 8, stream);
            }
            assertThat(stream.sources().held()).isEqualTo(300);
            stream.synchronize();
            assertThat(stream.sources().held()).isZero();
        }
    }

    @Test
    void streamsOfAnotherBackendAreRefused() {
        GpuStream other = new CudaBackend(new RecordingDriver()).createStream();
        assertThatThrownBy(() -> backend.kernels(other)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closeGivesEverythingBackOnce() {
        backend.allocate(8, "test");
        backend.allocateArena(8);
        backend.allocatePinned(8, "test");
        backend.createEvent();
        GpuStream stream = backend.createStream();
        backend.kernels(stream);
        try (Arena arena = Arena.ofShared()) {
            backend.placeWeights(arena.allocate(8), "test");
        }
        backend.close();
        assertThat(driver.live).isEmpty();
        assertThat(driver.calls).containsOnlyOnce("close");
        backend.close();
        assertThat(driver.calls).containsOnlyOnce("close");
        assertThatThrownBy(() -> backend.allocate(8, "test")).isInstanceOf(DeviceException.class).hasMessageContaining("closed");
    }

    @Test
    void closeGoesOnBehindAFailure() {
        backend.allocate(8, "test");
        backend.createStream();
        driver.failures.put("destroy", 1);
        assertThatThrownBy(backend::close).isInstanceOf(DeviceException.class);
        assertThat(driver.live).hasSizeLessThan(2);
        assertThat(driver.calls).containsOnlyOnce("close");
    }
}
