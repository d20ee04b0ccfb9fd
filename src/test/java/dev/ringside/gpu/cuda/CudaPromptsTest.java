package dev.ringside.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.AttentionShape;
import dev.ringside.gpu.DeltaNetShape;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.ExpertShape;
import dev.ringside.gpu.ExpertWave;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.Rotary;
import dev.ringside.gpu.StepRows;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Which ways the rows of prompts and those that decode go when they share a step, on a driver that only records. */
class CudaPromptsTest {

    private final RecordingDriver driver = new RecordingDriver();
    private final CudaBackend backend = new CudaBackend(driver);
    private final Kernels kernels = backend.kernels(backend.createStream());

    private DevicePtr floats(long count) {
        return backend.allocate(4 * count, "test");
    }

    private Matrix matrix(GgmlType type, int rows, int columns) {
        return new Matrix(backend.allocate(type.rowBytes(columns) * rows, "test"), type, rows, columns);
    }

    private void attend(AttentionShape shape, StepRows rows) {
        kernels.beginStep(rows);
        DevicePtr query = floats((long) rows.rows() * shape.queryWidth());
        kernels.attention(shape, query, query, null, floats((long) rows.rows() * shape.queryWidth()));
    }

    /** Two rows that decode, of which the second wants logits, and then prompts of these lengths, whose last rows do. */
    private static StepRows mixed(int... prompts) {
        StepRows rows = new StepRows(1000);
        for (int i = 0; i < 2; i++) {
            rows.beginSegment(new long[] {0x1000}, 0x3000);
            rows.addRow(1, 7, 0x4000, i == 1);
        }
        rows.beginPrompts();
        for (int length : prompts) {
            rows.beginSegment(new long[] {0x1000}, 0x3000);
            for (int i = 0; i < length; i++) {
                rows.addRow(1, i, i == length - 1 ? 0x4000 : 0, i == length - 1);
            }
        }
        return rows;
    }

    @Test
    void rowsOfPromptsGoToTensorCoresHoweverFewTheyAre() {
        Matrix w = matrix(GgmlType.IQ3_S, 200, 256);
        for (int length : new int[] {1, 300}) {
            driver.launches.clear();
            int rows = 2 + length;
            kernels.beginStep(mixed(length));
            kernels.matmul(w, floats(256L * rows), rows, floats(200L * rows));
            assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("split", "prompt_product",
                    "product_4x4");
            assertThat(driver.launches.getFirst().gridX()).isEqualTo(length);
            assertThat(driver.launches.get(1).gridX()).isEqualTo(2);
            assertThat(driver.launches.get(1).gridY()).isEqualTo((length + 127) / 128);
            assertThat(driver.launches.get(1).sharedBytes()).isEqualTo(80 << 10);
        }
        assertThat(driver.calls).contains("allow-shared prompt_product 81920");
    }

    @Test
    void logitsOfDecodedRowsComeFromTheKernelsOfDecoding() {
        Matrix head = matrix(GgmlType.IQ3_S, 200, 256);
        kernels.beginStep(mixed(10, 20, 30));
        kernels.matmul(head, floats(4 * 256), 4, floats(4 * 200));
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("split", "prompt_product", "product_1x1");
        assertThat(driver.launches.getFirst().gridX()).isEqualTo(3);
    }

    @Test
    void aWaveIsSplitWhereThePromptsBegin() {
        ExpertShape shape = new ExpertShape(256, 32, GgmlType.IQ3_S, 0, GgmlType.IQ3_S, 4608, GgmlType.IQ4_NL, 9216);
        ExpertWave wave = new ExpertWave(3, 10);
        wave.groups = 3;
        for (int g = 0; g < 3; g++) {
            wave.expert[g] = g;
            wave.slotAddress[g] = 0x10000L * (g + 1);
        }
        // Rows 0 and 1 decode, 2 to 4 are of a prompt; two experts each.
        System.arraycopy(new int[] {0, 2, 1, 4, 5, 6, 3, 7, 8, 9}, 0, wave.pairs, 0, 10);
        System.arraycopy(new int[] {0, 2, 6, 10}, 0, wave.firstPair, 0, 4);
        kernels.beginStep(mixed(3));
        driver.copies.clear();
        kernels.experts(shape, floats(5 * 256), wave, 2, floats(10 * 256));
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("product_4x4", "product_4x4", "split",
                "prompt_product", "split", "prompt_product");
        assertThat(driver.launches).extracting(RecordingDriver.Launched::gridZ).containsExactly(3, 3, 1, 2, 1, 2);
        assertThat(driver.copies.values()).extracting(CudaPromptsTest::pairsOfTwoGroups).contains("4 5 6 | 7 8 9");
    }

    /** Pairs of the groups of a table of two groups, or nothing when it is another table. */
    private static String pairsOfTwoGroups(byte[] bytes) {
        ByteBuffer table = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int groups = 2;
        int firstPair = 8 * groups + 4 * groups;
        int list = firstPair + 4 * (groups + 1);
        if (bytes.length != list + 4 * 6) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        for (int g = 0; g < groups; g++) {
            text.append(g == 0 ? "" : " |");
            for (int i = table.getInt(firstPair + 4 * g); i < table.getInt(firstPair + 4 * (g + 1)); i++) {
                text.append(text.isEmpty() ? "" : " ").append(table.getInt(list + 4 * i));
            }
        }
        return text.toString();
    }

    @Test
    void promptsAttendInTilesOfTheirOwnSegments() {
        AttentionShape shape = new AttentionShape(16, 4, 128, false, Rotary.neox(64, floats(32)), null, null, 1e-6f, KvType.F16, 64, 0,
                65_536);
        attend(shape, mixed(1, 129, 128));
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("flash_f16_128", "attend_f16_1");
        assertThat(driver.launches.getFirst().gridX()).isEqualTo(1 + 2 + 1);
        assertThat(driver.launches.getFirst().gridY()).isEqualTo(16);
        assertThat(driver.launches.getLast().gridX()).isEqualTo(2 * 4);
    }

    @Test
    void promptsAttendAsInDecodingWhereBlocksHaveTooLittleSharedMemory() {
        RecordingDriver small = new RecordingDriver();
        small.sharedBytes = 99 << 10;
        CudaBackend device = new CudaBackend(small);
        Kernels operations = device.kernels(device.createStream());
        DevicePtr memory = device.allocate(1 << 20, "test");
        operations.beginStep(mixed(5));
        operations.attention(new AttentionShape(2, 1, 128, false, Rotary.neox(64, memory), null, null, 1e-6f, KvType.F16, 64, 0, 65_536),
                memory,
                memory, null, memory);
        assertThat(small.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("attend_f16_1");
        assertThat(small.launches.getFirst().gridX()).isEqualTo(7);
    }

    @Test
    void headsOfOddSizesAttendAsInDecoding() {
        AttentionShape shape = new AttentionShape(3, 1, 22, false, Rotary.neox(6, floats(3)), null, null, 1e-6f, KvType.F16, 64, 0, 65_536);
        attend(shape, mixed(5));
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("attend_f16_0");
        assertThat(driver.launches.getFirst().gridX()).isEqualTo(7);
    }

    @Test
    void theDeltaRuleScansPromptsBehindTheSegmentsThatDecode() {
        DevicePtr memory = floats(1 << 16);
        DeltaNetShape net = new DeltaNetShape(2, 4, 128, 128, 4, true, false, memory, memory, memory, memory, 1e-6f, 0, 0);
        kernels.beginStep(mixed(5, 7));
        kernels.deltaNet(net, memory, memory, memory, memory, memory);
        assertThat(driver.launches).extracting(RecordingDriver.Launched::kernel).containsExactly("delta_convolve", "delta_recur_16",
                "delta_gates", "delta_scan_4", "delta_finish");
        assertThat(driver.of("delta_recur_16").getFirst().gridZ()).isEqualTo(2);
        assertThat(driver.of("delta_scan_4").getFirst().gridZ()).isEqualTo(2);
        assertThat(driver.of("delta_scan_4").getFirst().gridX()).isEqualTo(4);
    }
}
