package dev.ringside.gpu.host;

import dev.ringside.gpu.BlockSelection;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.IndexerShape;
import dev.ringside.gpu.StepRows;

/**
 * The sparse-attention indexer: block keys, block scores, and the choice of the best blocks.
 *
 * <p>Rows that see no more blocks than they may keep are settled in the first phase, which also finishes block keys; only the others are
 * scored, in pieces of some hundred blocks so that one row of a long context keeps all threads busy.
 */
@SuppressWarnings("NullAway.Init") // arguments of the call in progress
final class IndexerOps implements AutoCloseable {

    private static final int CHUNK = 256;
    /** Floats of scores held at a time: 16 MiB, or one row when that is more. */
    private static final long MAX_SCORES = 4 << 20;

    private static final int SUMS = KeyDots.PRODUCTS * Vectors.LANES;

    private final WorkerPool pool;
    private final RotaryTable queryRotary = new RotaryTable();
    private final RotaryTable blockRotary = new RotaryTable();
    private final Scratch queryScratch = new Scratch();
    private final Scratch scoreScratch = new Scratch();
    private final float[][] products;
    private final TopBlocks[] topBlocks;
    private final ParallelTask prepareTask = this::prepareRows;
    private final ParallelTask scoreTask = this::scoreChunks;
    private final ParallelTask chooseTask = this::chooseRows;

    private StepRows rows;
    private IndexerShape shape;
    private BlockSelection selection;
    private long indexQuery;
    private long indexKey;
    private long queries;
    private long scores;
    private long sums;
    private int[] scored = new int[0];
    private int firstScored;
    private int maxBlocks;

    IndexerOps(WorkerPool pool) {
        this.pool = pool;
        this.products = new float[pool.threads()][KeyDots.PRODUCTS];
        this.topBlocks = new TopBlocks[pool.threads()];
        for (int i = 0; i < topBlocks.length; i++) {
            topBlocks[i] = new TopBlocks();
        }
    }

    /** See {@link dev.ringside.gpu.Kernels#selectBlocks}. */
    void selectBlocks(StepRows stepRows, IndexerShape indexer, DevicePtr rawQueries, DevicePtr rawKeys, BlockSelection blocks) {
        int count = stepRows.rows();
        require(indexer, count, rawQueries, rawKeys, blocks);
        rows = stepRows;
        shape = indexer;
        selection = blocks;
        indexQuery = rawQueries.address();
        indexKey = rawKeys.address();
        queryRotary.begin(indexer.rotary(), stepRows.maxRows());
        blockRotary.begin(indexer.rotary(), stepRows.maxRows());
        long queryFloats = (long) stepRows.maxRows() * indexer.heads() * indexer.headSize();
        queries = queryScratch.floats(queryFloats + (long) SUMS * pool.threads());
        sums = queries + 4 * queryFloats;
        pool.run(prepareTask, count, NormOps.grain(indexer.heads() * indexer.headSize()));
        chooseAmongMany(listScored(count));
    }

    private static void require(IndexerShape indexer, int count, DevicePtr rawQueries, DevicePtr rawKeys, BlockSelection blocks) {
        rawQueries.require(4L * count * indexer.heads() * indexer.headSize(), "Index queries");
        rawKeys.require(4L * count * indexer.headSize(), "Index keys");
        blocks.data().require(blocks.rowBytes() * count, "Block selection");
        indexer.queryNorm().require(4L * indexer.headSize(), "Index query norm");
        indexer.keyNorm().require(4L * indexer.headSize(), "Index key norm");
        if (blocks.capacity() < indexer.topBlocks() || blocks.ratio() != indexer.ratio()) {
            throw new IllegalArgumentException("A selection of " + blocks.capacity() + " blocks of " + blocks.ratio()
                    + " tokens cannot hold the indexer's " + indexer.topBlocks() + " blocks of " + indexer.ratio());
        }
        if (indexer.pageTokens() % indexer.ratio() != 0) {
            throw new IllegalArgumentException(
                    "Pages of " + indexer.pageTokens() + " tokens do not hold whole index blocks of " + indexer.ratio());
        }
    }

    private int blocks(int row) {
        return (rows.position(row) + 1) / shape.ratio();
    }

    private int listScored(int count) {
        if (scored.length < rows.maxRows()) {
            scored = new int[rows.maxRows()];
        }
        int listed = 0;
        maxBlocks = 0;
        for (int row = 0; row < count; row++) {
            int blocks = blocks(row);
            if (blocks > shape.topBlocks()) {
                scored[listed++] = row;
                maxBlocks = Math.max(maxBlocks, blocks);
            }
        }
        return listed;
    }

    private void chooseAmongMany(int count) {
        if (count == 0) {
            return;
        }
        int atOnce = (int) Math.clamp(MAX_SCORES / maxBlocks, 1, count);
        long room = (long) atOnce * maxBlocks;
        // the context grows with every step, scratch memory only when it has doubled
        scores = scoreScratch.floats(Math.max(4096, Long.highestOneBit(room) << 1));
        int chunks = (maxBlocks + CHUNK - 1) / CHUNK;
        for (firstScored = 0; firstScored < count; firstScored += atOnce) {
            int batch = Math.min(atOnce, count - firstScored);
            pool.run(scoreTask, Math.multiplyExact(batch, chunks), 1);
            pool.run(chooseTask, batch, 1);
        }
    }

    private void prepareRows(int worker, int from, int to) {
        int headSize = shape.headSize();
        for (int row = from; row < to; row++) {
            int position = rows.position(row);
            if ((position + 1) % shape.ratio() == 0) {
                finishBlock(row, position / shape.ratio());
            }
            keepOpenKeys(row);
            int blocks = blocks(row);
            if (blocks <= shape.topBlocks()) {
                keepAll(row, blocks);
                continue;
            }
            queryRotary.fill(row, position);
            for (int head = 0; head < shape.heads(); head++) {
                long offset = 4L * ((long) row * shape.heads() + head) * headSize;
                NormKernel.rmsNorm(indexQuery + offset, shape.queryNorm().address(), headSize, shape.epsilon(), queries + offset);
                queryRotary.rotate(row, queries + offset);
            }
        }
    }

    private void keepAll(int row, int blocks) {
        long target = selection.data().address() + row * selection.rowBytes();
        HostMemory.setInt(target, blocks);
        for (int block = 0; block < blocks; block++) {
            HostMemory.setInt(target + 4L * (1 + block), block);
        }
    }

    /** The raw key of a position of the row's segment, at most one open block in front of the segment. */
    private long rawKey(int row, int position) {
        int segment = rows.segmentOf(row);
        int first = rows.firstRow(segment);
        int index = position - rows.position(first);
        long bytes = 4L * shape.headSize();
        return index >= 0
                ? indexKey + (first + index) * bytes
                : rows.planeIn(segment) + shape.openKeysOffset() + position % shape.ratio() * bytes;
    }

    private void finishBlock(int row, int block) {
        int headSize = shape.headSize();
        int perPage = shape.pageTokens() / shape.ratio();
        long page = rows.page(rows.segmentOf(row), block / perPage);
        long target = page + shape.blockKeyOffset() + 4L * (block % perPage) * headSize;
        int start = block * shape.ratio();
        HostMemory.copy(rawKey(row, start), target, 4L * headSize);
        for (int i = 1; i < shape.ratio(); i++) {
            NormKernel.add(rawKey(row, start + i), 1f, headSize, target);
        }
        NormKernel.scale(target, 1f / shape.ratio(), headSize, target);
        NormKernel.rmsNorm(target, shape.keyNorm().address(), headSize, shape.epsilon(), target);
        blockRotary.fill(row, start);
        blockRotary.rotate(row, target);
    }

    /** Rows behind the position are zeroed: what a plane holds must not depend on how the prompt was cut. */
    private void keepOpenKeys(int row) {
        if (rows.planeOut(row) == 0) {
            return;
        }
        long plane = rows.planeOut(row) + shape.openKeysOffset();
        int headSize = shape.headSize();
        int position = rows.position(row);
        int start = position - position % shape.ratio();
        for (int i = 0; i < shape.ratio(); i++) {
            long target = plane + 4L * i * headSize;
            if (start + i <= position) {
                HostMemory.copy(rawKey(row, start + i), target, 4L * headSize);
            } else {
                NormKernel.zero(target, headSize);
            }
        }
    }

    private void scoreChunks(int worker, int from, int to) {
        int chunks = (maxBlocks + CHUNK - 1) / CHUNK;
        for (int item = from; item < to; item++) {
            int index = item / chunks;
            int row = scored[firstScored + index];
            int first = item % chunks * CHUNK;
            int end = Math.min(first + CHUNK, blocks(row));
            long target = scores + 4L * index * maxBlocks;
            for (int block = first; block < end; block += KeyDots.KEYS) {
                score(row, block, Math.min(KeyDots.KEYS, end - block), target + 4L * block, worker);
            }
        }
    }

    private void score(int row, int block, int count, long target, int worker) {
        float[] dots = products[worker];
        long partial = sums + 4L * worker * SUMS;
        int segment = rows.segmentOf(row);
        int headSize = shape.headSize();
        long headBytes = 4L * headSize;
        long k0 = blockKey(segment, block);
        long k1 = count > 1 ? blockKey(segment, block + 1) : k0;
        long k2 = count > 2 ? blockKey(segment, block + 2) : k0;
        long k3 = count > 3 ? blockKey(segment, block + 3) : k0;
        long query = queries + row * shape.heads() * headBytes;
        float s0 = 0;
        float s1 = 0;
        float s2 = 0;
        float s3 = 0;
        for (int head = 0; head < shape.heads(); head += 2) {
            long first = query + head * headBytes;
            boolean pair = head + 1 < shape.heads();
            KeyDots.dot(first, pair ? first + headBytes : first, k0, k1, k2, k3, headSize, partial, dots);
            s0 += positive(dots[0]);
            s1 += positive(dots[1]);
            s2 += positive(dots[2]);
            s3 += positive(dots[3]);
            if (pair) {
                s0 += positive(dots[4]);
                s1 += positive(dots[5]);
                s2 += positive(dots[6]);
                s3 += positive(dots[7]);
            }
        }
        float scale = (float) (1 / Math.sqrt(headSize));
        HostMemory.setFloat(target, s0 * scale);
        if (count > 1) {
            HostMemory.setFloat(target + 4, s1 * scale);
        }
        if (count > 2) {
            HostMemory.setFloat(target + 8, s2 * scale);
        }
        if (count > 3) {
            HostMemory.setFloat(target + 12, s3 * scale);
        }
    }

    /** relu that turns -0 and NaN into 0, so that scores order like their bits. */
    private static float positive(float value) {
        return value > 0 ? value : 0;
    }

    private long blockKey(int segment, int block) {
        int perPage = shape.pageTokens() / shape.ratio();
        return rows.page(segment, block / perPage) + shape.blockKeyOffset() + 4L * (block % perPage) * shape.headSize();
    }

    private void chooseRows(int worker, int from, int to) {
        for (int index = from; index < to; index++) {
            int row = scored[firstScored + index];
            long target = selection.data().address() + row * selection.rowBytes();
            HostMemory.setInt(target, shape.topBlocks());
            topBlocks[worker].choose(scores + 4L * index * maxBlocks, blocks(row), shape.topBlocks(), target + 4);
        }
    }

    @Override
    public void close() {
        queryScratch.close();
        scoreScratch.close();
    }
}
