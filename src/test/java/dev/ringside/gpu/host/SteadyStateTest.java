package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.AttentionShape;
import dev.ringside.gpu.BlockSelection;
import dev.ringside.gpu.DeltaNetShape;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Formulas;
import dev.ringside.gpu.HyperConnection;
import dev.ringside.gpu.IndexerShape;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.NGramShape;
import dev.ringside.gpu.Rotary;
import dev.ringside.gpu.StepRows;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** After warm-up no operation allocates on the thread that calls it. */
class SteadyStateTest {

    private static final int CALLS = 1_000;
    /** Vector objects vanish once compiled; how many calls that takes is the compiler's business. */
    private static final int MOST_ROUNDS = 1_000;
    private static final int POSITION = 41;

    private final TestMemory memory = new TestMemory();
    private final Random random = new Random(TestMemory.seed());
    private final WorkerPool pool = new WorkerPool(1);
    private final StepRows rows = new StepRows(1);

    SteadyStateTest() {
        long[] pages = new long[3];
        for (int i = 0; i < pages.length; i++) {
            pages[i] = random(8192).address();
        }
        rows.beginSegment(pages, random(16_384).address());
        rows.addRow(0, POSITION, memory.floats(16_384).address(), true);
    }

    @AfterEach
    void free() {
        pool.close();
        memory.close();
    }

    @Test
    void normsAndAdditionsDoNotAllocate() {
        NormOps ops = new NormOps(pool);
        DevicePtr x = random(200);
        DevicePtr weight = random(200);
        DevicePtr out = memory.floats(200);
        assertNoAllocation(() -> {
            ops.rmsNorm(x, weight, 1, 2, 100, 1e-6f, out);
            ops.add(out, x, 200);
            ops.gatherLogitRows(rows, x, 200, out);
        });
    }

    @Test
    void hyperConnectionsDoNotAllocate() {
        HyperConnection mixer = new HyperConnection(4, 40, random(160), matrix(16, 160), matrix(160, 16), matrix(4, 160), 1e-6f);
        DevicePtr streams = random(160);
        DevicePtr out = memory.floats(40);
        DevicePtr inject = memory.floats(4);
        try (HyperConnectionOps ops = new HyperConnectionOps(pool, new MatmulOps(pool))) {
            assertNoAllocation(() -> {
                ops.mix(mixer, streams, 1, out, inject);
                ops.add(streams, out, inject, 1, 4, 40);
            });
        }
    }

    @Test
    void attentionDoesNotAllocate() {
        AttentionShape shape = new AttentionShape(4, 2, 36, true, Rotary.neox(16, memory.of(Formulas.frequencies(16, 1e4))), random(36),
                random(36), 1e-6f,
                KvType.F16, 16, 0, 4096);
        BlockSelection selection = new BlockSelection(memory.zeros(4), 3, 4);
        HostMemory.setInt(selection.data().address(), 1);
        DevicePtr queryGate = random(4 * 72);
        DevicePtr key = random(72);
        DevicePtr value = random(72);
        DevicePtr query = memory.floats(4 * 36);
        DevicePtr out = memory.floats(4 * 36);
        try (AttentionOps ops = new AttentionOps(pool)) {
            assertNoAllocation(() -> {
                ops.prepare(rows, shape, queryGate, key, value, query);
                ops.attention(rows, shape, query, queryGate, null, out);
                ops.attention(rows, shape, query, queryGate, selection, out);
            });
        }
    }

    @Test
    void theIndexerDoesNotAllocate() {
        IndexerShape shape = new IndexerShape(3, 36, 4, 3, Rotary.neox(16, memory.of(Formulas.frequencies(16, 1e4))), random(36),
                random(36), 1e-6f, 16, 0,
                0);
        BlockSelection selection = new BlockSelection(memory.floats(4), 3, 4);
        DevicePtr query = random(3 * 36);
        DevicePtr key = random(36);
        try (IndexerOps ops = new IndexerOps(pool)) {
            assertNoAllocation(() -> ops.selectBlocks(rows, shape, query, key, selection));
        }
    }

    @Test
    void theDeltaNetDoesNotAllocate() {
        DeltaNetShape shape = new DeltaNetShape(1, 2, 20, 84, 4, false, true, random(208 * 4), random(2), memory.of(new float[] {-1, -2}),
                random(84), 1e-6f, 4096, 0);
        DevicePtr qkv = random(208);
        DevicePtr gate = random(168);
        DevicePtr alpha = random(2);
        DevicePtr beta = random(2);
        DevicePtr out = memory.floats(168);
        try (DeltaNetOps ops = new DeltaNetOps(pool)) {
            assertNoAllocation(() -> ops.deltaNet(rows, shape, qkv, gate, alpha, beta, out));
        }
    }

    @Test
    void theNGramEmbeddingDoesNotAllocate() {
        NGramShape shape = new NGramShape(2, 36, 4, 3, random(72), random(72), random(72), random(72 * 4), 1e-6f, 0);
        DevicePtr key = random(72);
        DevicePtr value = random(36);
        DevicePtr streams = random(72);
        try (NGramOps ops = new NGramOps(pool)) {
            assertNoAllocation(() -> ops.nGramEmbedding(rows, shape, key, value, streams));
        }
    }

    private static void assertNoAllocation(Runnable call) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < MOST_ROUNDS && allocated != 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < CALLS; i++) {
                call.run();
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertThat(allocated).as("bytes allocated by the last %d calls", CALLS).isZero();
    }

    private DevicePtr random(int count) {
        return memory.of(Formulas.random(random, count, 1));
    }

    private Matrix matrix(int outputs, int inputs) {
        return new Matrix(random(outputs * inputs), GgmlType.F32, outputs, inputs);
    }
}
