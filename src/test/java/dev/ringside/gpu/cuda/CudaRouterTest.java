package dev.ringside.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DeviceFixture;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.ResidentKernels;
import dev.ringside.gpu.ResidentRouting;
import dev.ringside.gpu.RoutingTable;
import dev.ringside.gpu.RowNorm;
import dev.ringside.gpu.SharedExpert;
import dev.ringside.gpu.StepRows;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The router of steps that run by themselves: the bits of norm and router one after the other, and groups as the host would make them. */
@EnabledIf(value = "hasDevice", disabledReason = "There is no CUDA device here")
class CudaRouterTest {

    private static final int ROWS = 16;
    private static final float EPSILON = 1e-6f;

    private DeviceFixture device;
    private ResidentKernels resident;

    static boolean hasDevice() {
        return CudaBackend.obstacle() == null;
    }

    @BeforeEach
    void open() {
        device = new DeviceFixture(CudaBackend.create());
        resident = Objects.requireNonNull(device.kernels.resident());
    }

    @AfterEach
    void close() {
        device.close();
    }

    private static StepRows step(int rows) {
        StepRows step = new StepRows(ROWS);
        for (int i = 0; i < rows; i++) {
            step.beginSegment(new long[] {0x1000}, 0);
            step.addRow(0, 5, 0, false);
        }
        return step;
    }

    private ResidentRouting routing(int experts, int choices) {
        int pairs = ROWS * (choices + 1);
        long[] slots = new long[experts];
        Arrays.setAll(slots, i -> 1000L + i);
        ByteBuffer bytes = ByteBuffer.allocate(8 * experts).order(ByteOrder.nativeOrder());
        bytes.asLongBuffer().put(slots);
        return new ResidentRouting(1, experts, choices, ROWS, device.upload(bytes.array()), device.floats(pairs), device.floats(2L * pairs),
                device.floats(pairs), device.floats(pairs), device.floats(pairs + 1L), device.floats(2L * pairs),
                device.backend.allocatePinned(8L * pairs, "test"));
    }

    private int[] ints(DevicePtr memory, int count) {
        float[] bits = device.download(memory, count);
        int[] values = new int[count];
        Arrays.setAll(values, i -> Float.floatToRawIntBits(bits[i]));
        return values;
    }

    @ParameterizedTest
    @CsvSource({"1, true, F32", "5, true, F32", "16, false, F32", "2, true, F16"})
    void aSharedExpertIsOneMoreForEveryRow(int rows, boolean gated, GgmlType type) {
        int experts = 64;
        int choices = 4;
        int columns = 256;
        float[] values = device.gaussian(rows * columns);
        float[] gate = device.gaussian(columns);
        DevicePtr x = device.upload(values);
        DeviceFixture.Weights router = device.weights(type, experts, columns);
        DevicePtr slot = device.floats(64);
        ResidentRouting routing = routing(experts, choices);
        resident.begin(step(rows));
        resident.route(null, router.matrix(), x, rows, 1, new SharedExpert(slot, gated ? device.upload(gate) : null), routing, 0);
        resident.readLog(routing, 0, 1);
        device.stream.synchronize();
        assertThat(resident.stoppedAt()).isEqualTo(ResidentKernels.NOWHERE);
        int all = choices + 1;
        float[] weights = device.download(routing.weights(), rows * all);
        int[] first = ints(routing.firstPairs(), rows * all + 1);
        int[] expert = ints(routing.groupExperts(), rows * all);
        int[] list = ints(routing.groupPairs(), rows * all);
        int[] slots = ints(routing.groupSlots(), 2 * rows * all);
        int found = 0;
        for (int row = 0; row < rows; row++) {
            double sum = 0;
            for (int i = 0; i < columns; i++) {
                sum += (double) gate[i] * values[row * columns + i];
            }
            assertThat((double) weights[row * all + choices]).as("seed %d", device.seed).isCloseTo(gated ? 1 / (1 + Math.exp(-sum)) : 1,
                    within(1e-5));
            for (int j = 0; j < choices; j++) {
                assertThat(weights[row * all + j]).isEqualTo(routing.log(0).weight(row, j));
            }
        }
        for (int g = 0; g < rows * all; g++) {
            for (int i = first[g]; i < first[g + 1]; i++) {
                boolean shared = list[i] % all == choices;
                found += shared ? 1 : 0;
                assertThat(expert[g]).isEqualTo(shared ? experts : routing.log(0).expert(list[i] / all, list[i] % all));
                assertThat(Integer.toUnsignedLong(slots[2 * g]) | (long) slots[2 * g + 1] << 32)
                        .isEqualTo(shared ? slot.address() : 1000L + expert[g]);
            }
        }
        assertThat(found).isEqualTo(rows);
    }

    @ParameterizedTest
    @CsvSource({"128, 8, 2048, 1, true", "128, 8, 2048, 16, true", "512, 10, 2048, 1, true", "512, 10, 2048, 5, true",
        "60, 4, 3584, 3, true",
        "8, 8, 72, 2, true", "256, 8, 4096, 1, false", "700, 6, 64, 9, false", "100, 33, 96, 1, true"})
    void normAndRouterGiveTheBitsOfBothInTurn(int experts, int choices, int columns, int rows, boolean normed) {
        DevicePtr x = device.upload(device.gaussian(rows * columns));
        DevicePtr weight = device.upload(device.gaussian(columns));
        Matrix router = new Matrix(device.upload(device.gaussian(experts * columns)), GgmlType.F32, experts, columns);
        RowNorm norm = new RowNorm(x, weight, columns, EPSILON);
        DevicePtr expected = normed ? device.floats((long) rows * columns) : x;
        PinnedBuffer ids = device.backend.allocatePinned(4L * rows * choices, "test");
        PinnedBuffer shares = device.backend.allocatePinned(4L * rows * choices, "test");
        RoutingTable table = new RoutingTable(ids, shares, choices);
        device.kernels.beginStep(step(rows));
        if (normed) {
            norm.apply(device.kernels, rows, expected);
        }
        device.kernels.route(router, expected, rows, 1.5f, table);
        device.stream.synchronize();

        ResidentRouting routing = routing(experts, choices);
        @Nullable RowNorm asked = normed ? norm : null;
        DevicePtr hidden = normed ? device.floats((long) rows * columns) : x;
        // Twice, since counters of blocks must be left as they were found.
        for (int turn = 0; turn < 2; turn++) {
            resident.begin(step(rows));
            resident.route(asked, router, hidden, rows, 1.5f, null, routing, 0);
            resident.readLog(routing, 0, 1);
            device.stream.synchronize();
            assertThat(resident.stoppedAt()).isEqualTo(ResidentKernels.NOWHERE);
            assertThat(device.download(hidden, rows * columns)).as("seed %d", device.seed)
                    .isEqualTo(device.download(expected, rows * columns));
            for (int row = 0; row < rows; row++) {
                for (int j = 0; j < choices; j++) {
                    assertThat(routing.log(0).expert(row, j)).as("seed %d, row %d, choice %d", device.seed, row, j)
                            .isEqualTo(table.expert(row, j));
                    assertThat(routing.log(0).weight(row, j)).as("seed %d, row %d, choice %d", device.seed, row, j)
                            .isEqualTo(table.weight(row, j));
                }
            }
            requireGroups(routing, table, rows, choices);
        }
    }

    private void requireGroups(ResidentRouting routing, RoutingTable table, int rows, int choices) {
        int pairs = rows * choices;
        int[] first = ints(routing.firstPairs(), pairs + 1);
        int[] expert = ints(routing.groupExperts(), pairs);
        int[] list = ints(routing.groupPairs(), pairs);
        int[] slots = ints(routing.groupSlots(), 2 * pairs);
        boolean[] seen = new boolean[pairs];
        for (int g = 0; g < pairs; g++) {
            for (int i = first[g]; i < first[g + 1]; i++) {
                assertThat(table.expert(list[i] / choices, list[i] % choices)).isEqualTo(expert[g]);
                assertThat(slots[2 * g]).isEqualTo(1000 + expert[g]);
                assertThat(seen[list[i]]).isFalse();
                seen[list[i]] = true;
            }
        }
        assertThat(first[pairs]).isEqualTo(pairs);
        assertThat(seen).doesNotContain(false);
    }
}
