package dev.ringside.gpu.cuda;

import dev.ringside.gpu.AttentionShape;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.StepRows;
import org.jspecify.annotations.Nullable;

/** Causal attention of the rows of prompts over pages, on tensor cores; see flash.cu. */
final class PrefillAttention {

    /** As in flash.cu: head size up to which a kernel serves, warps (of sixteen rows each), keys of a block. */
    private enum Tile {
        D64(64, 8, 64), D128(128, 8, 64), D256(256, 4, 32);

        private final int size;
        private final int warps;
        private final int keys;

        Tile(int size, int warps, int keys) {
            this.size = size;
            this.warps = warps;
            this.keys = keys;
        }

        int rows() {
            return 16 * warps;
        }

        /** Queries in two parts; keys and values of two blocks in f16, or of one in two parts. */
        int shared() {
            return 2 * (2 * rows() * size + 2 * 2 * keys * size);
        }
    }

    private static final Tile[] TILES = Tile.values();
    private static final double LOG2_E = 1 / Math.log(2);

    private final OperationContext context;
    private final int most;
    private final @Nullable Kernel[] kernels = new @Nullable Kernel[KvType.values().length * TILES.length];

    PrefillAttention(OperationContext context) {
        this.context = context;
        this.most = context.backend().cuda().driver().facts().sharedBytes();
    }

    /** Whether there are kernels for it, and the device has the shared memory: consumer GPUs have 99 KiB and take heads of up to 64 only. */
    boolean serves(AttentionShape shape) {
        return (shape.kvType() == KvType.F16 || shape.kvType() == KvType.F32) && shape.headSize() % 8 == 0
                && shape.headSize() <= TILES[TILES.length - 1].size && tile(shape.headSize()).shared() <= most
                && shape.keyOffset() % 16 == 0 && shape.valueOffset() % 16 == 0;
    }

    /** Attends with the rows of the step's prompts; buffers begin at the step's first row and have been checked. */
    void attend(AttentionShape shape, DevicePtr query, DevicePtr queryGate, DevicePtr out) {
        StepRows rows = context.rows();
        Tile tile = tile(shape.headSize());
        int tiles = 0;
        for (int s = rows.decodeSegments(); s < rows.segments(); s++) {
            tiles += OperationContext.blocks(rows.rowCount(s), tile.rows());
        }
        if (tiles == 0) {
            return;
        }
        Launch launch = context.launch().of(kernel(shape.kvType(), tile)).i64(context.step().address());
        AttentionOps.shape(launch, shape).i32(rows.decodeSegments()).f32((float) (LOG2_E / Math.sqrt(shape.headSize())));
        launch.i64(query.address()).i64(queryGate.address()).i64(out.address()).run(tiles, shape.heads(), 1, 32 * tile.warps,
                tile.shared());
    }

    private static Tile tile(int headSize) {
        for (Tile tile : TILES) {
            if (headSize <= tile.size) {
                return tile;
            }
        }
        throw new IllegalArgumentException("Attention heads of " + headSize + " elements have no tensor-core kernel");
    }

    private Kernel kernel(KvType type, Tile tile) {
        int index = type.ordinal() * TILES.length + tile.ordinal();
        Kernel kernel = kernels[index];
        if (kernel == null) {
            kernel = context.kernel("flash", "flash_" + (type == KvType.F16 ? "f16_" : "f32_") + tile.size, tile.shared());
            kernels[index] = kernel;
        }
        return kernel;
    }
}
