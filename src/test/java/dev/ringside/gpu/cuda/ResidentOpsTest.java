package dev.ringside.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.Recording;
import dev.ringside.gpu.ResidentKernels;
import dev.ringside.gpu.ResidentRouting;
import dev.ringside.gpu.StepRows;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What recording, marks and the table of slots ask of the driver, on one that only writes it down. */
class ResidentOpsTest {

    private final RecordingDriver driver = new RecordingDriver();
    private final CudaBackend backend = new CudaBackend(driver);
    private final Kernels kernels = backend.kernels(backend.createStream());
    private final ResidentKernels resident = Objects.requireNonNull(kernels.resident());

    @BeforeEach
    void forget() {
        driver.calls.clear();
    }

    private DevicePtr bytes(long count) {
        return backend.allocate(count, "test");
    }

    private static StepRows step(int rows, int position) {
        StepRows step = new StepRows(16);
        for (int i = 0; i < rows; i++) {
            step.beginSegment(new long[] {0x1000, 0x2000, 0x3000}, 0x4000);
            step.addRow(7, position, 0x5000, true);
        }
        return step;
    }

    private ResidentRouting routing() {
        return new ResidentRouting(2, 8, 2, 16, bytes(128), bytes(128), bytes(256), bytes(128), bytes(128), bytes(132), bytes(512),
                backend.allocatePinned(512, "test"));
    }

    @Test
    void aRecordingIsMadeOfOperationsThatWereRunOnceWithTheMarkSet() {
        resident.begin(step(1, 5));
        DevicePtr x = bytes(4096);
        driver.calls.clear();
        Recording recording = resident.record(() -> kernels.add(x, x, 16));
        List<String> order = driver.calls.stream().filter(call -> !call.startsWith("function")).toList();
        assertThat(order).extracting(call -> call.substring(0, call.lastIndexOf(' '))).containsExactly("to-device", "launch", "to-device",
                "begin-capture", "launch", "create-graph");
        assertThat(driver.of("add").getFirst().parameters()[0]).as("the mark").isNotZero();
        driver.calls.clear();
        recording.launch();
        recording.launch();
        assertThat(driver.calls).hasSize(2).allMatch(call -> call.startsWith("launch-graph"));
    }

    @Test
    void operationsOutsideOfSuchStepsHeedNoMark() {
        resident.begin(step(1, 5));
        kernels.beginStep(step(1, 5));
        DevicePtr x = bytes(4096);
        kernels.add(x, x, 16);
        assertThat(driver.of("add").getFirst().parameters()[0]).isZero();
    }

    @Test
    void aRecordingIsOfNoUseOnceMemoryItNamesHasMoved() {
        resident.begin(step(1, 5));
        Matrix small = new Matrix(bytes(GgmlType.Q8_0.rowBytes(256) * 16), GgmlType.Q8_0, 16, 256);
        DevicePtr x = bytes(40_960);
        DevicePtr y = bytes(40_960);
        Recording recording = resident.record(() -> kernels.matmul(small, x, 1, y));
        assertThat(recording.usable()).isTrue();
        resident.begin(step(1, 6));
        assertThat(recording.usable()).as("a step of the same size").isTrue();
        kernels.matmul(small, x, 20, y);
        assertThat(recording.usable()).as("more rows than the memory was for").isFalse();
        recording.close();
        recording.close();
        assertThat(driver.live).noneMatch(name -> name.startsWith("graph"));
    }

    @Test
    void stepsOfOneShapeDifferInPositionsOnlyWithinAPowerOfTwo() {
        resident.begin(step(2, 100));
        long shape = resident.shape();
        resident.begin(step(2, 1023));
        assertThat(resident.shape()).isEqualTo(shape);
        resident.begin(step(2, 1024));
        assertThat(resident.shape()).isNotEqualTo(shape);
        resident.begin(step(3, 100));
        assertThat(resident.shape()).isNotEqualTo(shape);
    }

    @Test
    void changedSlotsAreWrittenByOneKernel() {
        resident.begin(step(1, 5));
        ResidentRouting routing = routing();
        resident.place(routing, new int[] {3, 9}, new long[] {0x10000, 0}, 2);
        assertThat(driver.of("place_slots")).hasSize(1);
        long[] parameters = driver.of("place_slots").getFirst().parameters();
        assertThat((int) parameters[2]).isEqualTo(2);
        assertThat(parameters[3]).isEqualTo(routing.slots().address());
        resident.place(routing, new int[0], new long[0], 0);
        assertThat(driver.of("place_slots")).hasSize(1);
    }

    @Test
    void resumingRemovesTheMarkAndLeavesTheTablesAlone() {
        resident.begin(step(1, 5));
        driver.copies.clear();
        resident.resume();
        assertThat(driver.copies).hasSize(1);
        byte[] mark = driver.copies.values().iterator().next();
        assertThat(ByteBuffer.wrap(mark).order(ByteOrder.LITTLE_ENDIAN).getInt()).isZero();
        assertThat(mark).hasSize(4);
        assertThat(resident.stoppedAt()).isEqualTo(ResidentKernels.NOWHERE);
    }

    @Test
    void aRouterOfFloatsIsOneKernelAndOthersAreTwo() {
        resident.begin(step(2, 5));
        ResidentRouting routing = routing();
        DevicePtr x = bytes(8192);
        resident.route(null, new Matrix(bytes(8 * 256 * 4), GgmlType.F32, 8, 256), x, 2, 1, null, routing, 1);
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("route_resident");
        driver.launches.clear();
        resident.route(null, new Matrix(bytes(8 * 256 * 2), GgmlType.F16, 8, 256), x, 2, 1, null, routing, 1);
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("product_4x4", "route_resident");
    }

    @Test
    void aLayerOutsideTheTablesIsRefused() {
        resident.begin(step(1, 5));
        Matrix router = new Matrix(bytes(8 * 256 * 4), GgmlType.F32, 8, 256);
        DevicePtr x = bytes(4096);
        ResidentRouting routing = routing();
        assertThatThrownBy(() -> resident.route(null, router, x, 1, 1, null, routing, 2)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Layer 2");
    }

    @Test
    void aFailureWhileRecordingEndsTheRecording() {
        resident.begin(step(1, 5));
        boolean[] again = {false};
        assertThatThrownBy(() -> resident.record(() -> {
            if (again[0]) {
                throw new IllegalStateException("injected");
            }
            again[0] = true;
        })).isInstanceOf(IllegalStateException.class).hasMessage("injected");
        assertThat(driver.calls).anyMatch(call -> call.startsWith("create-graph"));
        assertThat(driver.live).noneMatch(name -> name.startsWith("graph"));
    }
}
