package dev.ringside.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.AttentionShape;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.ExpertShape;
import dev.ringside.gpu.ExpertWave;
import dev.ringside.gpu.FeedForward;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.Rotary;
import dev.ringside.gpu.StepRows;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which kernels an operation launches, on what grid, and what the tables hold, on a driver that only records. */
class CudaKernelsTest {

    private final RecordingDriver driver = new RecordingDriver();
    private final CudaBackend backend = new CudaBackend(driver);
    private final Kernels kernels = backend.kernels(backend.createStream());

    @BeforeEach
    void forget() {
        driver.calls.clear();
    }

    private DevicePtr floats(long count) {
        return backend.allocate(4 * count, "test");
    }

    private Matrix matrix(GgmlType type, int rows, int columns) {
        return new Matrix(backend.allocate(type.rowBytes(columns) * rows, "test"), type, rows, columns);
    }

    @Test
    void theTileOfAProductFollowsTheRows() {
        Matrix w = matrix(GgmlType.IQ4_XS, 4000, 256);
        for (int rows : new int[] {1, 3, 4, 5, 40}) {
            kernels.matmul(w, floats(256L * rows), rows, floats(4000L * rows));
        }
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("product_1x4", "product_4x4",
                "product_4x4",
                "product_8x4", "product_8x4");
        assertThat(driver.launches).extracting(RecordingDriver.Launched::gridX).containsOnly(250);
        assertThat(driver.launches.getLast().gridY()).isEqualTo(5);
    }

    @Test
    void fewOutputsAreOneForEachWarp() {
        kernels.matmul(matrix(GgmlType.IQ4_XS, 100, 256), floats(256), 1, floats(100));
        kernels.matmul(matrix(GgmlType.IQ4_XS, 3, 256), floats(512), 2, floats(6));
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("product_1x1", "product_1x1");
        assertThat(driver.launches.getLast().gridY()).isEqualTo(2);
    }

    @Test
    void modulesAreLoadedOnceAndOnlyForTypesInUse() {
        Matrix w = matrix(GgmlType.IQ3_S, 8, 256);
        kernels.matmul(w, floats(256), 1, floats(8));
        kernels.matmul(w, floats(256), 1, floats(8));
        assertThat(driver.calls.stream().filter(call -> call.startsWith("create-module"))).hasSize(1);
    }

    @Test
    void gateAndUpOfOneTypeAreOneKernel() {
        Matrix gate = matrix(GgmlType.Q4_1, 64, 32);
        Matrix down = matrix(GgmlType.Q4_1, 32, 64);
        kernels.feedForward(new FeedForward(gate, matrix(GgmlType.Q4_1, 64, 32), down), floats(32), 1, floats(32));
        assertThat(driver.launches).hasSize(2);
        driver.launches.clear();
        kernels.feedForward(new FeedForward(gate, matrix(GgmlType.Q4_0, 64, 32), down), floats(32), 1, floats(32));
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("product_1x1", "product_1x1", "swiglu",
                "product_1x1");
    }

    @Test
    void theTablesOfAStepLieBehindTheirAddresses() {
        StepRows rows = new StepRows(4);
        rows.beginSegment(new long[] {0x1000, 0x2000}, 0x3000);
        rows.addRow(7, 10, 0, false);
        rows.addRow(8, 11, 0x4000, true);
        rows.beginSegment(new long[] {0x5000}, 0x6000);
        rows.addRow(9, 0, 0x7000, true);
        kernels.beginStep(rows);

        long base = driver.copies.keySet().iterator().next();
        ByteBuffer table = ByteBuffer.wrap(driver.copies.get(base)).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(ints(table, base, 0, 3)).as("positions").containsExactly(10, 11, 0);
        assertThat(ints(table, base, 1, 3)).as("tokens").containsExactly(7, 8, 9);
        assertThat(ints(table, base, 2, 3)).as("segments").containsExactly(0, 0, 1);
        assertThat(ints(table, base, 3, 3)).as("first rows").containsExactly(0, 2, 3);
        assertThat(ints(table, base, 4, 3)).as("first pages").containsExactly(0, 2, 3);
        assertThat(ints(table, base, 5, 2)).as("logit rows").containsExactly(1, 2);
        assertThat(longs(table, base, 6, 3)).as("planes out").containsExactly(0, 0x4000, 0x7000);
        assertThat(longs(table, base, 7, 2)).as("planes in").containsExactly(0x3000, 0x6000);
        assertThat(longs(table, base, 8, 3)).as("pages").containsExactly(0x1000, 0x2000, 0x5000);
    }

    private static int[] ints(ByteBuffer table, long base, int pointer, int count) {
        int[] values = new int[count];
        int at = (int) (table.getLong(8 * pointer) - base);
        for (int i = 0; i < count; i++) {
            values[i] = table.getInt(at + 4 * i);
        }
        return values;
    }

    private static long[] longs(ByteBuffer table, long base, int pointer, int count) {
        long[] values = new long[count];
        int at = (int) (table.getLong(8 * pointer) - base);
        for (int i = 0; i < count; i++) {
            values[i] = table.getLong(at + 8 * i);
        }
        return values;
    }

    @Test
    void aStepIsOneCopyAndAllocatesNothingOnceWarm() {
        StepRows rows = new StepRows(4);
        rows.beginSegment(new long[] {0x1000}, 0x3000);
        rows.addRow(7, 10, 0x4000, true);
        kernels.beginStep(rows);
        driver.calls.clear();
        for (int i = 0; i < 3000; i++) {
            kernels.beginStep(rows);
        }
        assertThat(driver.calls.stream().filter(call -> call.startsWith("to-device"))).hasSize(3000);
        assertThat(driver.calls)
                .noneMatch(call -> call.startsWith("allocate") || call.startsWith("register") || call.startsWith("synchronize"));
        assertThat(driver.calls).as("halves of the ring are fenced").anyMatch(call -> call.startsWith("await"));
    }

    @Test
    void rowsAreCutAlongTheirKeysAndJoinedByAKernelOfItsOwnWhereChunksAreMany() {
        AttentionShape shape = new AttentionShape(16, 4, 64, false, Rotary.neox(64, floats(32)), null, null, 1e-6f, KvType.F16, 64, 0,
                65_536);
        StepRows rows = new StepRows(200);
        rows.beginSegment(new long[] {0x1000}, 0);
        rows.addRow(0, 1000, 0, false);
        attend(shape, rows);
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("attend_f16_1");
        assertThat(driver.launches.getFirst().gridX()).isEqualTo(4);
        assertThat(driver.launches.getFirst().gridY()).isEqualTo(16);
        driver.launches.clear();
        rows.clear();
        rows.beginSegment(new long[] {0x1000}, 0);
        rows.addRow(0, 2048, 0, false);
        attend(shape, rows);
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("attend_f16_1", "attend_merge");
        assertThat(driver.launches.getFirst().gridY()).isEqualTo(33);
        assertThat(driver.launches.getLast().gridX()).isEqualTo(16);
    }

    private void attend(AttentionShape shape, StepRows rows) {
        kernels.beginStep(rows);
        DevicePtr query = floats((long) rows.rows() * shape.queryWidth());
        kernels.attention(shape, query, query, null, floats((long) rows.rows() * shape.queryWidth()));
    }

    @Test
    void aWaveTravelsAsOneTable() {
        ExpertShape shape = new ExpertShape(256, 32, GgmlType.IQ4_XS, 0, GgmlType.IQ4_XS, 4608, GgmlType.Q4_0, 9216);
        ExpertWave wave = new ExpertWave(2, 4);
        wave.groups = 2;
        wave.expert[0] = 5;
        wave.expert[1] = 9;
        wave.slotAddress[0] = 0x10000;
        wave.slotAddress[1] = 0x20000;
        wave.firstPair[1] = 1;
        wave.firstPair[2] = 4;
        wave.pairs[1] = 1;
        wave.pairs[2] = 2;
        wave.pairs[3] = 3;
        kernels.experts(shape, floats(512), wave, 2, floats(1024));
        assertThat(driver.calls.stream().filter(call -> call.startsWith("to-device"))).hasSize(1);
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("product_4x4", "product_4x4");
        assertThat(driver.launches).extracting(RecordingDriver.Launched::gridZ).containsOnly(2);
    }

    @Test
    void fewRowsOfSmallIntegersTakeTilesOfTheirNumber() {
        Matrix w = matrix(GgmlType.Q4_K, 4000, 2048);
        for (int rows : new int[] {1, 4, 5, 9, 40}) {
            kernels.matmul(w, floats(2048L * rows), rows, floats(4000L * rows));
        }
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("split_rows", "fast_1", "split_rows",
                "fast_1", "split_rows", "fast_2", "split_rows", "fast_4", "split_rows", "fast_4");
        assertThat(driver.of("fast_1")).extracting(RecordingDriver.Launched::gridX).containsOnly(250);
        assertThat(driver.of("fast_4").getLast().gridY()).isEqualTo(3);
        assertThat(driver.of("fast_4").getLast().threads()).as("a warp for each 256 columns").isEqualTo(256);
    }

    @Test
    void matricesThatAreAlikeAreOneKernel() {
        Matrix[] weights = {matrix(GgmlType.Q4_K, 64, 256), matrix(GgmlType.Q4_K, 16, 256), matrix(GgmlType.Q8_0, 16, 256),
            matrix(GgmlType.F32, 16, 256)};
        kernels.matmul(weights, floats(256), 1, new DevicePtr[] {floats(64), floats(16), floats(16), floats(16)});
        assertThat(driver.of("fast_1")).hasSize(2);
        assertThat(driver.of("fast_1").getFirst().gridX()).isEqualTo(5);
        assertThat(driver.of("product_1x1")).hasSize(1);
    }

    @Test
    void pagesThatAreNotAlignedAreRefused() {
        assertThatThrownBy(() -> kernels.beginStep(misaligned())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16 bytes");
    }

    private static StepRows misaligned() {
        StepRows rows = new StepRows(1);
        rows.beginSegment(new long[] {0x1008}, 0);
        rows.addRow(0, 0, 0, false);
        return rows;
    }
}
