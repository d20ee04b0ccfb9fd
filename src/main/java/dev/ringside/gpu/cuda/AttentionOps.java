package dev.ringside.gpu.cuda;

import dev.ringside.gpu.AttentionShape;
import dev.ringside.gpu.BlockSelection;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.StepRows;
import org.jspecify.annotations.Nullable;

/**
 * Paged causal attention. Rows are cut along their keys so that the whole device works on them; chunks are joined in the same order by whichever
 * kernel does it.
 */
final class AttentionOps implements AutoCloseable {

    /** As in attention.cu. */
    private static final int CHUNK = 64;
    private static final int THREADS = 256;
    private static final int HEADS = 8;
    private static final int QUARTERS = 4;
    private static final int MOST_JOINED = 32;
    private static final int MERGE_THREADS = 1024;
    private static final int WIDTH = 128;
    private static final int MOST_HEAD_SIZE = 512;
    /** What every device gives a block that asks for it, but for what the kernels have anyway. */
    private static final int MOST_SHARED = 88 << 10;
    private static final long MOST_PARTIAL_BYTES = 256L << 20;

    private final OperationContext context;
    private final FastProducts fast;
    private final Scratch partials;
    private final Scratch tickets;
    private final Kernel[] prepare = new Kernel[KvType.values().length];
    private final Kernel[][] attend = new Kernel[KvType.values().length][];
    private final Kernel[][] fresh = new Kernel[KvType.values().length][];
    private final Kernel merge;
    private final PrefillAttention prefill;

    AttentionOps(OperationContext context, FastProducts fast) {
        this.context = context;
        this.fast = fast;
        this.partials = context.scratch("partial attention");
        this.tickets = context.scratch("attention blocks that have ended");
        for (KvType type : new KvType[] {KvType.F16, KvType.F32}) {
            String suffix = type == KvType.F16 ? "f16" : "f32";
            prepare[type.ordinal()] = context.kernel("attention", "prepare_" + suffix);
            int sizes = type == KvType.F16 ? 3 : 2;
            attend[type.ordinal()] = kernels("attend_" + suffix, sizes);
            fresh[type.ordinal()] = kernels("attend_fresh_" + suffix, sizes);
        }
        this.merge = context.kernel("attention", "attend_merge");
        this.prefill = new PrefillAttention(context);
    }

    private Kernel[] kernels(String name, int sizes) {
        Kernel[] made = new Kernel[sizes];
        for (int i = 0; i < sizes; i++) {
            made[i] = context.kernel("attention", name + "_" + i, MOST_SHARED);
        }
        return made;
    }

    /** See {@link dev.ringside.gpu.Kernels#prepareAttention}. */
    void prepare(AttentionShape shape, DevicePtr queryGate, DevicePtr key, DevicePtr value, DevicePtr query) {
        int rows = context.rows().rows();
        require(shape, rows, queryGate, key, value);
        query.require(4L * shape.queryWidth() * rows, "Prepared queries");
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

    private static void require(AttentionShape shape, int rows, DevicePtr queryGate, DevicePtr key, DevicePtr value) {
        queryGate.require(queryGateBytes(shape) * rows, "Queries and gates");
        key.require(4L * shape.kvWidth() * rows, "Keys");
        value.require(4L * shape.kvWidth() * rows, "Values");
        if (shape.rotary().width() > shape.headSize()) {
            throw new IllegalArgumentException("Rotary width must be at most the head size " + shape.headSize() + ", got "
                    + shape.rotary().width());
        }
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

    private static boolean isVectorised(AttentionShape shape) {
        return shape.headSize() % 4 == 0 && shape.keyOffset() % 16 == 0 && shape.valueOffset() % 16 == 0;
    }

    /** Appends {@code struct Shape}. */
    static Launch shape(Launch launch, AttentionShape shape) {
        return launch.struct().i32(shape.heads()).i32(shape.kvHeads()).i32(shape.headSize()).flag(shape.gated()).i32(shape.pageTokens())
                .flag(isVectorised(shape)).i64(shape.keyOffset()).i64(shape.valueOffset()).end();
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
        Kernel kernel = kernel(attend, shape);
        int chunks = (mostVisible(rows, blocks) + CHUNK - 1) / CHUNK;
        long parts = parts(shape, out, rows);
        long rowBytes = 4L * shape.heads() * chunks * (shape.headSize() + 2);
        int atOnce = Math.clamp(MOST_PARTIAL_BYTES / rowBytes, 1, rows);
        for (int first = 0; first < rows; first += atOnce) {
            int count = Math.min(atOnce, rows - first);
            Launch launch = context.launch().of(kernel).i64(context.step().address());
            selection(shape(launch, shape), blocks);
            attend(launch, shape, query.address(), queryGate, out, parts, rows, first, atOnce, chunks).run(
                    Math.multiplyExact(count, items(shape)), chunks, 1, THREADS, sharedBytes(shape));
            merge(shape, blocks, queryGate, out, parts, rows, first, count, atOnce, chunks);
        }
    }

    /** See {@link dev.ringside.gpu.Kernels#attend}: one kernel, for steps of few rows. */
    void attend(AttentionShape shape, DevicePtr queryGate, DevicePtr key, DevicePtr value, DevicePtr query, DevicePtr out) {
        StepRows step = context.rows();
        int rows = step.rows();
        int longest = rows - step.segments() + 1;
        long rowBytes = 4L * shape.rotary().width() + 2L * shape.headSize() * shape.kvType().bytes();
        long shared = sharedBytes(shape) + 8L * shape.headSize() + 8 + longest * rowBytes;
        int chunks = (context.step().positions(rows) + CHUNK - 1) / CHUNK;
        if (!context.step().rounded() || rows == 0 || shared > MOST_SHARED
                || 4L * shape.heads() * chunks * (shape.headSize() + 2) * rows > MOST_PARTIAL_BYTES) {
            prepare(shape, queryGate, key, value, query);
            attention(shape, query, queryGate, null, out);
            return;
        }
        require(shape, rows, queryGate, key, value);
        out.require(4L * shape.queryWidth() * rows, "Attention output");
        requireSupported(shape);
        long parts = parts(shape, out, rows);
        Launch launch = context.launch().of(kernel(fresh, shape)).i64(context.step().address());
        attend(shape(launch, shape), shape, 0, queryGate, out, parts, rows, 0, rows, chunks);
        launch.struct().i64(address(shape.queryNorm())).i64(address(shape.keyNorm())).i64(shape.rotary().inverseFrequencies().address())
                .i64(key.address()).i64(value.address()).f32(shape.epsilon()).f32(shape.rotary().magnitude()).i32(shape.rotary().width())
                .flag(shape.rotary().interleaved()).end();
        launch.run(Math.multiplyExact(rows, items(shape)), chunks, 1, THREADS, Math.toIntExact(shared));
        merge(shape, null, queryGate, out, parts, rows, 0, rows, rows, chunks);
    }

    /** Blocks of a row and chunk. */
    private static int items(AttentionShape shape) {
        int group = shape.heads() / shape.kvHeads();
        return Math.multiplyExact(shape.kvHeads(), (group + HEADS - 1) / HEADS);
    }

    private static int sharedBytes(AttentionShape shape) {
        return 4 * (QUARTERS + 1) * HEADS * shape.headSize();
    }

    /** The kernel for heads of such a size: all of a chunk in registers, where it fits. */
    private static Kernel kernel(Kernel[][] kernels, AttentionShape shape) {
        Kernel[] sizes = kernels[shape.kvType().ordinal()];
        int wide = (shape.headSize() + WIDTH - 1) / WIDTH;
        return sizes[isVectorised(shape) && wide < sizes.length ? wide : 0];
    }

    /** Appends {@code struct Attend}. */
    private Launch attend(Launch launch, AttentionShape shape, long query, DevicePtr queryGate, DevicePtr out, long parts, int rows,
            int first,
            int atOnce, int chunks) {
        long partial = chunks == 1 ? 0 : partials.growing(4L * atOnce * shape.heads() * chunks * (shape.headSize() + 2));
        return launch.struct().i64(query).i64(queryGate.address()).i64(partial).i64(tickets.growing(4L * atOnce * items(shape)))
                .i64(out.address()).i64(parts).i32(rows).i32(first).i32(chunks).flag(chunks <= MOST_JOINED).f32(scale(shape)).end();
    }

    private void merge(AttentionShape shape, @Nullable BlockSelection blocks, DevicePtr queryGate, DevicePtr out, long parts, int rows,
            int first, int count, int atOnce, int chunks) {
        if (chunks > MOST_JOINED) {
            Launch launch = context.launch().of(merge).i64(context.step().address());
            selection(shape(launch, shape), blocks);
            attend(launch, shape, 0, queryGate, out, parts, rows, first, atOnce, chunks).run(count * shape.heads(), 1, MERGE_THREADS);
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
        tickets.close();
    }
}
