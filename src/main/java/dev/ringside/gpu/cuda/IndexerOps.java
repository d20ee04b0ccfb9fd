package dev.ringside.gpu.cuda;

import dev.ringside.gpu.BlockSelection;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.IndexerShape;
import dev.ringside.gpu.StepRows;

/** The sparse-attention indexer: block keys, scores, and the choice of the best blocks. */
final class IndexerOps implements AutoCloseable {

    private static final int THREADS = 256;
    private static final int WARPS = THREADS / 32;
    /** Blocks of tokens that one block of threads scores, at least. */
    private static final int LEAST_SCORED = 8 * WARPS;
    private static final long MOST_SCORES = 32 << 20;
    private static final int SHARED = 48 << 10;

    private final OperationContext context;
    private final Scratch prepared;
    private final Scratch scores;
    private final Kernel keys;
    private final Kernel queries;
    private final Kernel score;
    private final Kernel choose;

    IndexerOps(OperationContext context) {
        this.context = context;
        this.prepared = context.scratch("index queries");
        this.scores = context.scratch("index scores");
        this.keys = context.kernel("indexer", "index_keys");
        this.queries = context.kernel("indexer", "index_queries");
        this.score = context.kernel("indexer", "index_scores");
        this.choose = context.kernel("indexer", "index_choose");
    }

    /** See {@link dev.ringside.gpu.Kernels#selectBlocks}. */
    void selectBlocks(IndexerShape shape, DevicePtr indexQuery, DevicePtr indexKey, BlockSelection selection) {
        StepRows rows = context.rows();
        int count = rows.rows();
        require(shape, count, indexQuery, indexKey, selection);
        if (count == 0) {
            return;
        }
        shape(keys, shape).i64(indexKey.address()).run(count, 1, 1, THREADS, 4 * shape.headSize());
        int maxBlocks = context.step().positions(count) / shape.ratio();
        if (maxBlocks <= shape.topBlocks()) {
            choose(shape, 0, count, 0, 0, selection);
            return;
        }
        long normed = prepared.floats((long) count * shape.heads() * shape.headSize());
        shape(queries, shape).i64(indexQuery.address()).i64(normed).run(OperationContext.blocks(shape.heads(), WARPS), count, THREADS);
        int atOnce = Math.clamp(MOST_SCORES / maxBlocks, 1, count);
        long table = scores.growing(4L * atOnce * maxBlocks);
        float scale = (float) (1 / Math.sqrt(shape.headSize()));
        int parts = Math.min(4 * context.processors(), OperationContext.blocks(maxBlocks, LEAST_SCORED));
        for (int first = 0; first < count; first += atOnce) {
            int batch = Math.min(atOnce, count - first);
            shape(score, shape).i64(normed).i32(first).f32(scale).i64(table).i32(maxBlocks).run(parts, batch, 1, THREADS,
                    4 * shape.heads() * shape.headSize());
            choose(shape, first, batch, table, maxBlocks, selection);
        }
    }

    private void choose(IndexerShape shape, int first, int batch, long table, int stride, BlockSelection selection) {
        shape(choose, shape).i32(first).i64(table).i32(stride).i64(selection.data().address()).i32(1 + selection.capacity()).run(batch, 1,
                THREADS);
    }

    private Launch shape(Kernel kernel, IndexerShape shape) {
        return context.launch().of(kernel).i64(context.step().address()).struct().i32(shape.heads()).i32(shape.headSize())
                .i32(shape.ratio())
                .i32(shape.topBlocks()).i32(shape.pageTokens()).i64(shape.blockKeyOffset()).i64(shape.openKeysOffset())
                .i64(shape.queryNorm().address()).i64(shape.keyNorm().address()).f32(shape.epsilon())
                .i64(shape.rotary().inverseFrequencies().address()).i32(shape.rotary().width()).f32(shape.rotary().magnitude())
                .flag(shape.rotary().interleaved()).end();
    }

    private static void require(IndexerShape shape, int count, DevicePtr indexQuery, DevicePtr indexKey, BlockSelection selection) {
        indexQuery.require(4L * count * shape.heads() * shape.headSize(), "Index queries");
        indexKey.require(4L * count * shape.headSize(), "Index keys");
        selection.data().require(selection.rowBytes() * count, "Block selection");
        shape.queryNorm().require(4L * shape.headSize(), "Index query norm");
        shape.keyNorm().require(4L * shape.headSize(), "Index key norm");
        if (selection.capacity() < shape.topBlocks() || selection.ratio() != shape.ratio()) {
            throw new IllegalArgumentException("A selection of " + selection.capacity() + " blocks of " + selection.ratio()
                    + " tokens cannot hold the indexer's " + shape.topBlocks() + " blocks of " + shape.ratio());
        }
        if (shape.pageTokens() % shape.ratio() != 0) {
            throw new IllegalArgumentException(
                    "Pages of " + shape.pageTokens() + " tokens do not hold whole index blocks of " + shape.ratio());
        }
        if (4 * shape.heads() * shape.headSize() > SHARED) {
            throw new IllegalArgumentException(
                    "The CUDA backend has index queries of at most " + SHARED / 4 + " elements, got " + shape.heads()
                            + " heads of " + shape.headSize());
        }
    }

    @Override
    public void close() {
        prepared.close();
        scores.close();
    }
}
