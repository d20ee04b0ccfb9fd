package dev.ringside.gpu.cuda;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.ExpertShape;
import dev.ringside.gpu.ExpertWave;
import dev.ringside.gpu.FeedForward;
import dev.ringside.gpu.Matrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** Dense feed-forward networks and the experts of a wave: gate, up and their product in one kernel where their types agree, then down. */
final class FeedForwardOps implements AutoCloseable {

    private static final int THREADS = 256;

    private final OperationContext context;
    private final ProductOps products;
    private final Scratch inner;
    private final Scratch raised;
    private final Scratch tables;
    private final Kernel swiglu;

    FeedForwardOps(OperationContext context, ProductOps products) {
        this.context = context;
        this.products = products;
        this.inner = context.scratch("feed-forward activations");
        this.raised = context.scratch("feed-forward activations");
        this.tables = context.scratch("expert tables");
        this.swiglu = context.kernel("norm", "swiglu");
    }

    /** See {@link dev.ringside.gpu.Kernels#feedForward}. */
    void feedForward(FeedForward weights, DevicePtr x, int rows, DevicePtr out) {
        Matrix gate = weights.gate();
        Matrix up = weights.up();
        Matrix down = weights.down();
        if (up.rows() != gate.rows() || up.columns() != gate.columns() || down.columns() != gate.rows()) {
            throw new IllegalArgumentException("Feed-forward network does not fit together: gate " + gate.rows() + " x " + gate.columns()
                    + ", up " + up.rows() + " x " + up.columns() + ", down " + down.rows() + " x " + down.columns());
        }
        x.require(4L * rows * gate.columns(), "Feed-forward input");
        out.require(4L * rows * down.rows(), "Feed-forward output");
        OperationContext.requireAligned(x, "Feed-forward input");
        if (rows == 0) {
            return;
        }
        long elements = (long) rows * gate.rows();
        long gated = inner.floats(elements);
        if (gate.type() == up.type()) {
            products.dense(gate, up, x.address(), rows, gated);
        } else {
            long other = raised.floats(elements);
            products.dense(gate, null, x.address(), rows, gated);
            products.dense(up, null, x.address(), rows, other);
            multiply(gated, other, elements);
        }
        products.dense(down, null, gated, rows, out.address());
    }

    private void multiply(long gate, long up, long elements) {
        int blocks = (int) Math.min(65_535, (elements + THREADS - 1) / THREADS);
        context.launch().of(swiglu).i64(gate).i64(up).i64(elements).run(blocks, 1, THREADS);
    }

    /** See {@link dev.ringside.gpu.Kernels#experts}. */
    void experts(ExpertShape shape, DevicePtr x, ExpertWave wave, int choices, DevicePtr out) {
        int pairs = wave.groups == 0 ? 0 : wave.firstPair[wave.groups];
        check(shape, x, wave, choices, out);
        if (pairs == 0) {
            return;
        }
        OperationContext.requireAligned(x, "Input of the experts");
        ProductOps.Groups groups = upload(wave, pairs);
        int rows = Math.toIntExact(x.bytes() / (4L * shape.hidden()));
        long elements = (long) pairs * shape.width();
        long gated = inner.floats(elements);
        ProductOps.First gate = first(shape.gateType(), shape.gateOffset(), shape.width(), shape.hidden(), shape.gateScale());
        if (shape.gateType() == shape.upType()) {
            products.grouped(gate, new ProductOps.Second(shape.upOffset(), 1, address(shape.upScale())), groups, choices, x.address(), rows,
                    false,
                    gated);
        } else {
            long other = raised.floats(elements);
            products.grouped(gate, null, groups, choices, x.address(), rows, false, gated);
            products.grouped(first(shape.upType(), shape.upOffset(), shape.width(), shape.hidden(), shape.upScale()), null, groups, choices,
                    x.address(), rows, false, other);
            multiply(gated, other, elements);
        }
        products.grouped(first(shape.downType(), shape.downOffset(), shape.hidden(), shape.width(), shape.downScale()), null, groups, 0,
                gated, pairs,
                true, out.address());
    }

    private static ProductOps.First first(GgmlType type, long offset, int outputs, int columns, @Nullable DevicePtr scales) {
        return new ProductOps.First(type, offset, outputs, columns, 1, address(scales));
    }

    private static long address(@Nullable DevicePtr memory) {
        return memory == null ? 0 : memory.address();
    }

    private static void check(ExpertShape shape, DevicePtr x, ExpertWave wave, int choices, DevicePtr out) {
        long rowBytes = 4L * shape.hidden();
        for (int g = 0; g < wave.groups; g++) {
            if (wave.slotAddress[g] == 0) {
                throw new IllegalArgumentException("Group " + g + " of the expert wave has no slot");
            }
            requireScale(shape.gateScale(), wave.expert[g]);
            requireScale(shape.upScale(), wave.expert[g]);
            requireScale(shape.downScale(), wave.expert[g]);
            for (int i = wave.firstPair[g]; i < wave.firstPair[g + 1]; i++) {
                int pair = wave.pairs[i];
                if (pair < 0) {
                    throw new IllegalArgumentException("Pair " + pair + " of the expert wave is negative");
                }
                if (x.bytes() < (pair / choices + 1) * rowBytes || out.bytes() < (pair + 1) * rowBytes) {
                    x.require((pair / choices + 1) * rowBytes, "Input of the experts");
                    out.require((pair + 1) * rowBytes, "Output of the experts");
                }
            }
        }
    }

    private static void requireScale(@Nullable DevicePtr scales, int expert) {
        if (scales != null) {
            scales.require(4L * (expert + 1), "Scales of the experts");
        }
    }

    private ProductOps.Groups upload(ExpertWave wave, int pairs) {
        int groups = wave.groups;
        long expert = 8L * groups;
        long firstPair = expert + 4L * groups;
        long list = firstPair + 4L * (groups + 1);
        long bytes = list + 4L * pairs;
        long base = tables.growing(bytes);
        MemorySegment m = context.uploads().reserve(bytes);
        MemorySegment.copy(wave.slotAddress, 0, m, ValueLayout.JAVA_LONG, 0, groups);
        MemorySegment.copy(wave.expert, 0, m, ValueLayout.JAVA_INT, expert, groups);
        MemorySegment.copy(wave.firstPair, 0, m, ValueLayout.JAVA_INT, firstPair, groups + 1);
        MemorySegment.copy(wave.pairs, 0, m, ValueLayout.JAVA_INT, list, pairs);
        context.uploads().send(m, base);
        int most = 0;
        for (int g = 0; g < groups; g++) {
            most = Math.max(most, wave.firstPair[g + 1] - wave.firstPair[g]);
        }
        return new ProductOps.Groups(groups, most, base, base + firstPair, base + expert, base + list);
    }

    @Override
    public void close() {
        inner.close();
        raised.close();
        tables.close();
    }
}
