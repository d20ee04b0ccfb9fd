package dev.ringside.gpu.host;

import dev.ringside.gpu.AttentionShape;
import dev.ringside.gpu.BlockSelection;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.StepRows;
import org.jspecify.annotations.Nullable;

/**
 * Paged causal attention: the append of keys and values, and the attention of each row over them.
 *
 * <p>Work is cut into (row, key/value head, part of its query heads). A head's result does not depend on the cut: scores are single dot
 * products, the sum of weights depends on their number only, and values are added one position after the other.
 */
@SuppressWarnings("NullAway.Init") // arguments of the call in progress
final class AttentionOps implements AutoCloseable {

    /** Multiply-adds worth sharing among threads. */
    private static final long MIN_WORK = 65_536;

    private final WorkerPool pool;
    private final RotaryTable rotary = new RotaryTable();
    private final Scratch scratch = new Scratch();
    private final AttentionTile[] tiles;
    private final ParallelTask prepareTask = this::prepareRows;
    private final ParallelTask attendTask = this::attendItems;

    private StepRows rows;
    private AttentionShape shape;
    private long queryGate;
    private long key;
    private long value;
    private long query;
    private long out;
    private long selection;
    private long selectionBytes;
    private int ratio;
    private int headsPerItem;
    private int parts;
    private long workerScratch;
    private long workerBytes;
    private long scoreStride;

    AttentionOps(WorkerPool pool) {
        this.pool = pool;
        this.tiles = new AttentionTile[pool.threads()];
        for (int i = 0; i < tiles.length; i++) {
            tiles[i] = new AttentionTile();
        }
    }

    /** See {@link dev.ringside.gpu.Kernels#prepareAttention}. */
    void prepare(StepRows stepRows, AttentionShape attention, DevicePtr queryGates, DevicePtr keys, DevicePtr values, DevicePtr queries) {
        int count = stepRows.rows();
        queryGates.require(queryGateBytes(attention) * count, "Queries and gates");
        keys.require(4L * attention.kvWidth() * count, "Keys");
        values.require(4L * attention.kvWidth() * count, "Values");
        queries.require(4L * attention.queryWidth() * count, "Prepared queries");
        if (attention.rotary().width() > attention.headSize()) {
            throw new IllegalArgumentException("Rotary width must be at most the head size " + attention.headSize() + ", got "
                    + attention.rotary().width());
        }
        rows = stepRows;
        shape = attention;
        queryGate = queryGates.address();
        key = keys.address();
        value = values.address();
        query = queries.address();
        rotary.begin(attention.rotary(), stepRows.maxRows());
        workerBytes = 4L * attention.headSize() + 64;
        workerScratch = scratch.bytes(workerBytes * pool.threads());
        pool.run(prepareTask, count, NormOps.grain(attention.queryWidth() + 2 * attention.kvWidth()));
    }

    private static long queryGateBytes(AttentionShape attention) {
        return 4L * attention.queryWidth() * (attention.gated() ? 2 : 1);
    }

    private void prepareRows(int worker, int from, int to) {
        int headSize = shape.headSize();
        long stride = 4L * headSize * (shape.gated() ? 2 : 1);
        for (int row = from; row < to; row++) {
            rotary.fill(row, rows.position(row));
            long source = queryGate + row * queryGateBytes(shape);
            long target = query + 4L * row * shape.queryWidth();
            for (int head = 0; head < shape.heads(); head++) {
                normAndRotate(row, source + head * stride, shape.queryNorm(), target + 4L * head * headSize);
            }
            append(row, workerScratch + worker * workerBytes);
        }
    }

    private void normAndRotate(int row, long source, @Nullable DevicePtr norm, long target) {
        if (norm == null) {
            HostMemory.copy(source, target, 4L * shape.headSize());
        } else {
            NormKernel.rmsNorm(source, norm.address(), shape.headSize(), shape.epsilon(), target);
        }
        rotary.rotate(row, target);
    }

    private void append(int row, long buffer) {
        int headSize = shape.headSize();
        KvType type = shape.kvType();
        int position = rows.position(row);
        int inPage = position % shape.pageTokens();
        long page = rows.page(rows.segmentOf(row), position / shape.pageTokens());
        long offset = (long) inPage * shape.kvWidth() * type.bytes();
        long scaleBytes = type.scaleRowBytes(shape.kvHeads(), headSize);
        long scaleOffset = shape.scaleOffset() + inPage * scaleBytes;
        for (int head = 0; head < shape.kvHeads(); head++) {
            long source = 4L * ((long) row * shape.kvWidth() + (long) head * headSize);
            long target = page + offset + (long) head * headSize * type.bytes();
            long scales = page + scaleOffset + head * scaleBytes / shape.kvHeads();
            normAndRotate(row, key + source, shape.keyNorm(), buffer);
            store(buffer, target + shape.keyOffset(), scales + shape.keyOffset());
            store(value + source, target + shape.valueOffset(), scales + shape.valueOffset());
        }
    }

    /** Stores one head of keys or values as the pages hold it. */
    private void store(long source, long target, long scales) {
        switch (shape.kvType()) {
            case F32 -> HostMemory.copy(source, target, 4L * shape.headSize());
            case F16 -> HalfFloats.fromFloats(source, shape.headSize(), target);
            case Q8 -> SignedBytes.fromFloats(source, shape.headSize(), target, scales);
        }
    }

    /** See {@link dev.ringside.gpu.Kernels#attention}. */
    void attention(StepRows stepRows, AttentionShape attention, DevicePtr queries, DevicePtr queryGates, @Nullable BlockSelection blocks,
            DevicePtr output) {
        int count = stepRows.rows();
        queries.require(4L * attention.queryWidth() * count, "Prepared queries");
        output.require(4L * attention.queryWidth() * count, "Attention output");
        if (attention.gated()) {
            queryGates.require(queryGateBytes(attention) * count, "Queries and gates");
        }
        if (blocks != null) {
            blocks.data().require(blocks.rowBytes() * count, "Block selection");
        }
        rows = stepRows;
        shape = attention;
        query = queries.address();
        queryGate = queryGates.address();
        out = output.address();
        selection = blocks == null ? 0 : blocks.data().address();
        selectionBytes = blocks == null ? 0 : blocks.rowBytes();
        ratio = blocks == null ? 1 : blocks.ratio();

        long work = 0;
        int most = 0;
        for (int row = 0; row < count; row++) {
            int visible = visible(row);
            most = Math.max(most, visible);
            work += 2L * visible * attention.queryWidth();
        }
        share(count, work);
        scoreStride = 4L * (-Vectors.LANES & most + Vectors.LANES - 1);
        workerBytes = scoreStride * headsPerItem + AttentionTile.bytes(attention.headSize());
        // the context grows with every step, scratch memory only when it has doubled
        workerScratch = scratch.bytes(roundUp(workerBytes * pool.threads()));
        int items = Math.multiplyExact(count, attention.kvHeads() * parts);
        pool.run(attendTask, items, work < MIN_WORK ? items : 1);
    }

    /** Splits the heads of a group only as far as it takes to give every thread two items: each part reads the keys anew. */
    private void share(int count, long work) {
        int group = shape.heads() / shape.kvHeads();
        headsPerItem = group;
        parts = 1;
        while (work >= MIN_WORK && headsPerItem > 1 && (long) count * shape.kvHeads() * parts < 2L * pool.threads()) {
            headsPerItem = (headsPerItem + 1) / 2;
            parts = (group + headsPerItem - 1) / headsPerItem;
        }
    }

    private static long roundUp(long bytes) {
        return Math.max(65_536, Long.highestOneBit(Math.max(1, bytes - 1)) << 1);
    }

    /** Keys that a row attends to. */
    private int visible(int row) {
        int positions = rows.position(row) + 1;
        return selection == 0 ? positions : HostMemory.getInt(selection + row * selectionBytes) * ratio + positions % ratio;
    }

    private void attendItems(int worker, int from, int to) {
        AttentionTile tile = tiles[worker];
        long buffer = workerScratch + worker * workerBytes;
        int perRow = shape.kvHeads() * parts;
        for (int item = from; item < to; item++) {
            int row = item / perRow;
            int kvHead = item % perRow / parts;
            int group = shape.heads() / shape.kvHeads();
            int first = item % parts * headsPerItem;
            int count = Math.min(headsPerItem, group - first);
            long selected = selection == 0 ? 0 : selection + row * selectionBytes;
            tile.begin(shape, rows.pages(rows.segmentOf(row)), kvHead, rows.position(row) + 1, selected, ratio, visible(row));
            attend(tile, row, kvHead * group + first, count, buffer);
        }
    }

    private void attend(AttentionTile tile, int row, int firstHead, int count, long buffer) {
        int headSize = shape.headSize();
        long at = 4L * ((long) row * shape.queryWidth() + (long) firstHead * headSize);
        long scores = buffer + AttentionTile.bytes(headSize);
        tile.scores(query + at, count, buffer, scores, scoreStride);
        int visible = visible(row);
        for (int head = 0; head < count; head++) {
            tile.setWeightSum(head, Activations.softmaxWeights(scores + head * scoreStride, visible));
        }
        tile.values(out + at, count, buffer, scores, scoreStride);
        for (int head = 0; head < count; head++) {
            long target = out + at + 4L * head * headSize;
            float scale = 1f / tile.weightSum(head);
            NormKernel.scale(target, scale, headSize, target);
            if (shape.gated()) {
                long gate = queryGate + row * queryGateBytes(shape) + 4L * headSize * (2L * (firstHead + head) + 1);
                Activations.sigmoid(gate, 1f, headSize, buffer);
                NormKernel.multiply(target, buffer, headSize);
            }
        }
    }

    @Override
    public void close() {
        scratch.close();
    }
}
