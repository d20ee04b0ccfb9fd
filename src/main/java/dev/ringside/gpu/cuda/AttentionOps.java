package dev.ringside.gpu.cuda;

import dev.ringside.gpu.AttentionShape;
import dev.ringside.gpu.BlockSelection;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.KvType;
import org.jspecify.annotations.Nullable;

/**
 * Paged causal attention. Few rows are cut along their keys so that the whole device works on them, many rows are not; the kernels merge
 * chunks in the same order either way.
 */
final class AttentionOps implements AutoCloseable {

    /** As in attention.cu. */
    private static final int CHUNK = 128;
    private static final int THREADS = 256;
    private static final int HEADS = 8;
    private static final int MOST_HEAD_SIZE = 512;
    /** Blocks for each multiprocessor from which on rows need not be cut. */
    private static final int BLOCKS = 4;
    private static final long MOST_PARTIAL_BYTES = 256L << 20;

    private final OperationContext context;
    private final FastProducts fast;
    private final Scratch partials;
    private final Kernel[] prepare = new Kernel[KvType.values().length];
    private final Kernel[] whole = new Kernel[KvType.values().length];
    private final Kernel[] split = new Kernel[KvType.values().length];
    private final Kernel merge;
    private final PrefillAttention prefill;

    AttentionOps(OperationContext context, FastProducts fast) {
        this.context = context;
        this.fast = fast;
        this.partials = context.scratch("partial attention");
        for (KvType type : new KvType[] {KvType.F16, KvType.F32}) {
            String suffix = type == KvType.F16 ? "f16" : "f32";
            prepare[type.ordinal()] = context.kernel("attention", "prepare_" + suffix);
            whole[type.ordinal()] = context.kernel("attention", "attend_whole_" + suffix);
            split[type.ordinal()] = context.kernel("attention", "attend_split_" + suffix);
        }
        this.merge = context.kernel("attention", "attend_merge");
        this.prefill = new PrefillAttention(context);
    }

    /** See {@link dev.ringside.gpu.Kernels#prepareAttention}. */
    void prepare(AttentionShape shape, DevicePtr queryGate, DevicePtr key, DevicePtr value, DevicePtr query) {
        int rows = context.rows().rows();
        queryGate.require(queryGateBytes(shape) * rows, "Queries and gates");
        key.require(4L * shape.kvWidth() * rows, "Keys");
        value.require(4L * shape.kvWidth() * rows, "Values");
        query.require(4L * shape.queryWidth() * rows, "Prepared queries");
        if (shape.rotary().width() > shape.headSize()) {
            throw new IllegalArgumentException("Rotary width must be at most the head size " + shape.headSize() + ", got "
                    + shape.rotary().width());
        }
        requireSupported(shape);
        if (rows == 0) {
            return;
        }
        Launch launch = context.launch().of(prepare[shape.kvType().ordinal()]).i64(context.step().address());
        shape(launch, shape).i64(address(shape.queryNorm())).i64(address(shape.keyNorm())).f32(shape.epsilon())
                .i64(shape.rotary().inverseFrequencies().address()).i32(shape.rotary().width()).f32(shape.rotary().magnitude())
                .flag(shape.rotary().interleaved()).i64(queryGate.address()).i64(key.address()).i64(value.address()).i64(query.address());
        int items = shape.heads() + 2 * shape.kvHeads();
        int warps = THREADS / 32;
        launch.run(OperationContext.blocks(items, warps), rows, 1, THREADS, 4 * warps * shape.headSize());
    }

    private static void requireSupported(AttentionShape shape) {
        if (shape.kvType() != KvType.F16 && shape.kvType() != KvType.F32) {
            throw new IllegalArgumentException(
                    "ringside.kv.type: found " + shape.kvType() + ", the CUDA backend keeps keys and values as f16 or f32");
        }
        if (shape.headSize() > MOST_HEAD_SIZE) {
            throw new IllegalArgumentException("The CUDA backend has attention heads of at most " + MOST_HEAD_SIZE + " elements, got "
                    + shape.headSize());
        }
    }

    private static long queryGateBytes(AttentionShape shape) {
        return 4L * shape.queryWidth() * (shape.gated() ? 2 : 1);
    }

    private static long address(@Nullable DevicePtr memory) {
        return memory == null ? 0 : memory.address();
    }

    /** Appends {@code struct Shape}. */
    static Launch shape(Launch launch, AttentionShape shape) {
        boolean vectorised = shape.headSize() % 4 == 0 && shape.keyOffset() % 16 == 0 && shape.valueOffset() % 16 == 0;
        return launch.struct().i32(shape.heads()).i32(shape.kvHeads()).i32(shape.headSize()).flag(shape.gated()).i32(shape.pageTokens())
                .flag(vectorised).i64(shape.keyOffset()).i64(shape.valueOffset()).end();
    }

    private static Launch selection(Launch launch, @Nullable BlockSelection blocks) {
        return launch.struct().i64(blocks == null ? 0 : blocks.data().address()).i32(blocks == null ? 0 : 1 + blocks.capacity())
                .i32(blocks == null ? 1 : blocks.ratio()).end();
    }

    /** See {@link dev.ringside.gpu.Kernels#attention}. */
    void attention(AttentionShape shape, DevicePtr query, DevicePtr queryGate, @Nullable BlockSelection blocks, DevicePtr out) {
        int rows = context.rows().rows();
        query.require(4L * shape.queryWidth() * rows, "Prepared queries");
        out.require(4L * shape.queryWidth() * rows, "Attention output");
        if (shape.gated()) {
            queryGate.require(queryGateBytes(shape) * rows, "Queries and gates");
        }
        if (blocks != null) {
            blocks.data().require(blocks.rowBytes() * rows, "Block selection");
        }
        requireSupported(shape);
        if (blocks == null && prefill.serves(shape)) {
            prefill.attend(shape, query, queryGate, out);
            rows = context.rows().decodeRows();
        }
        if (rows == 0) {
            return;
        }
        int group = shape.heads() / shape.kvHeads();
        int items = Math.multiplyExact(shape.kvHeads(), (group + HEADS - 1) / HEADS);
        int chunks = (mostVisible(rows, blocks) + CHUNK - 1) / CHUNK;
        if (chunks <= 1 || (long) rows * items >= (long) BLOCKS * context.processors()) {
            Launch launch = context.launch().of(whole[shape.kvType().ordinal()]).i64(context.step().address());
            selection(shape(launch, shape), blocks).i32(0).f32(scale(shape)).i64(query.address()).i64(queryGate.address())
                    .i64(out.address()).i64(parts(shape, out, rows)).i32(rows);
            launch.run(Math.multiplyExact(rows, items), 1, 1, THREADS, 2 * 4 * HEADS * shape.headSize());
        } else {
            splitAttention(shape, query, queryGate, blocks, out, rows, items, chunks);
        }
    }

    private void splitAttention(AttentionShape shape, DevicePtr query, DevicePtr queryGate, @Nullable BlockSelection blocks, DevicePtr out,
            int rows,
            int items, int chunks) {
        long parts = parts(shape, out, rows);
        long rowBytes = 4L * shape.heads() * chunks * (shape.headSize() + 2);
        int atOnce = Math.clamp(MOST_PARTIAL_BYTES / rowBytes, 1, rows);
        long partial = partials.growing(rowBytes * atOnce);
        for (int first = 0; first < rows; first += atOnce) {
            int count = Math.min(atOnce, rows - first);
            Launch launch = context.launch().of(split[shape.kvType().ordinal()]).i64(context.step().address());
            selection(shape(launch, shape), blocks).i32(first).f32(scale(shape)).i64(query.address()).i64(partial).i32(chunks);
            launch.run(count * items, chunks, 1, THREADS, 4 * HEADS * shape.headSize());
            launch = context.launch().of(merge).i64(context.step().address());
            selection(shape(launch, shape), blocks).i32(first).i64(queryGate.address()).i64(partial).i32(chunks).i64(out.address())
                    .i64(parts)
                    .i32(rows);
            launch.run(count * shape.heads(), 1, OperationContext.threads(shape.headSize(), 256));
        }
    }

    /** Kernels write the parts of whole groups, so groups must lie within heads. */
    private long parts(AttentionShape shape, DevicePtr out, int rows) {
        if (shape.headSize() % 32 == 0) {
            return fast.made(out.address(), rows, shape.queryWidth());
        }
        fast.forget(out.address());
        return 0;
    }

    private static float scale(AttentionShape shape) {
        return (float) (1 / Math.sqrt(shape.headSize()));
    }

    /** Most keys that one of the step's first rows can see. */
    private int mostVisible(int count, @Nullable BlockSelection blocks) {
        int most = context.step().positions(count);
        return blocks == null ? most : (int) Math.min(most, ((long) blocks.capacity() + 1) * blocks.ratio());
    }

    @Override
    public void close() {
        partials.close();
    }
}
