package dev.ringside.gpu.cuda;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.ExpertShape;
import dev.ringside.gpu.ExpertWave;
import dev.ringside.gpu.FeedForward;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.StepRows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** Dense feed-forward networks and the experts of a wave: gate, up and their product in one kernel where their types agree, then down. */
final class FeedForwardOps implements AutoCloseable {

    private static final int THREADS = 256;
    private static final Part NOTHING = new Part(new ProductOps.Groups(0, 0, 0, 0, 0, 0, false), 0);

    private final OperationContext context;
    private final ProductOps products;
    private final Scratch inner;
    private final Scratch raised;
    private final Scratch tables;
    private final Scratch promptTables;
    private final Kernel swiglu;

    FeedForwardOps(OperationContext context, ProductOps products) {
        this.context = context;
        this.products = products;
        this.inner = context.scratch("feed-forward activations");
        this.raised = context.scratch("feed-forward activations");
        this.tables = context.scratch("expert tables");
        this.promptTables = context.scratch("expert tables");
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
        StepRows step = context.rows();
        if (step.decodeRows() == step.rows()) {
            part(shape, x, upload(wave, 0, Integer.MAX_VALUE, false), choices, out);
        } else {
            int firstPrompt = step.decodeRows() * choices;
            part(shape, x, upload(wave, 0, firstPrompt, false), choices, out);
            part(shape, x, upload(wave, firstPrompt, Integer.MAX_VALUE, true), choices, out);
        }
    }

    /**
     * The same with groups that are on the device.
     *
     * @param pairs as many groups as there may be, and rows of {@code out}
     */
    void experts(ExpertShape shape, DevicePtr x, ProductOps.Groups groups, int choices, int pairs, DevicePtr out) {
        x.require(4L * (pairs / choices) * shape.hidden(), "Input of the experts");
        out.require(4L * pairs * shape.hidden(), "Output of the experts");
        OperationContext.requireAligned(x, "Input of the experts");
        part(shape, x, new Part(groups, pairs), choices, out);
    }

    private void part(ExpertShape shape, DevicePtr x, Part part, int choices, DevicePtr out) {
        int pairs = part.pairs();
        if (pairs == 0) {
            return;
        }
        ProductOps.Groups groups = part.groups();
        if (!groups.prompts() && fast(shape)) {
            few(shape, x, groups, choices, out);
            return;
        }
        int held = Math.toIntExact(x.bytes() / (4L * shape.hidden()));
        int rows = groups.prompts() ? Math.min(held, context.rows().rows()) : held;
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

    private boolean fast(ExpertShape shape) {
        return shape.gateType() == shape.upType() && products.isFast(shape.gateType(), shape.hidden())
                && products.isFast(shape.downType(), shape.width());
    }

    /** Whether a network of such matrices goes the same ways by itself as among experts, where one slow matrix makes all of them slow. */
    boolean agrees(ExpertShape shape) {
        return fast(shape) || !products.isFast(shape.gateType(), shape.hidden()) && !products.isFast(shape.upType(), shape.hidden())
                && !products.isFast(shape.downType(), shape.width());
    }

    /** Whether one row's experts can be summed by the kernel that makes their last product. */
    boolean combines(ExpertShape shape, int choices) {
        return fast(shape) && FastProducts.combines(shape.width(), choices);
    }

    /** The experts of one row, their weighted sum and the shared expert. */
    void experts(ExpertShape shape, DevicePtr x, ProductOps.Groups groups, int choices, DevicePtr weights, @Nullable DevicePtr shared,
            @Nullable DevicePtr sharedGate, boolean added, DevicePtr out) {
        x.require(4L * shape.hidden(), "Input of the experts");
        out.require(4L * shape.hidden(), "Output of the experts");
        weights.require(4L * choices, "Expert weights");
        OperationContext.requireAligned(x, "Input of the experts");
        long gated = raise(shape, x, groups, choices, 1);
        products.fast().down(first(shape.downType(), shape.downOffset(), shape.hidden(), shape.width(), shape.downScale()), groups, choices,
                gated, weights.address(), address(shared), address(sharedGate), x.address(), added, out.address());
    }

    private long raise(ExpertShape shape, DevicePtr x, ProductOps.Groups groups, int choices, int rows) {
        int pairs = Math.multiplyExact(rows, choices);
        long gated = inner.floats((long) pairs * shape.width());
        products.fast().grouped(first(shape.gateType(), shape.gateOffset(), shape.width(), shape.hidden(), shape.gateScale()),
                new ProductOps.Second(shape.upOffset(), 1, address(shape.upScale())), groups, choices, x.address(), rows, pairs, gated,
                true);
        return gated;
    }

    /** What lies between the products is in the order of the pairs, whatever wave they came in. */
    private void few(ExpertShape shape, DevicePtr x, ProductOps.Groups groups, int choices, DevicePtr out) {
        StepRows step = context.rows();
        int rows = step.rows() == 0 ? Math.toIntExact(x.bytes() / (4L * shape.hidden())) : step.decodeRows();
        int pairs = Math.multiplyExact(rows, choices);
        long gated = raise(shape, x, groups, choices, rows);
        products.fast().grouped(first(shape.downType(), shape.downOffset(), shape.hidden(), shape.width(), shape.downScale()), null, groups,
                1, gated,
                pairs, pairs, out.address(), false);
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

    /** The groups of a wave as far as their pairs are among {@code [from, to)}, on the device. */
    private record Part(ProductOps.Groups groups, int pairs) {}

    private Part upload(ExpertWave wave, int from, int to, boolean prompts) {
        int groups = 0;
        int pairs = 0;
        int most = 0;
        for (int g = 0; g < wave.groups; g++) {
            int count = count(wave, g, from, to);
            groups += count > 0 ? 1 : 0;
            pairs += count;
            most = Math.max(most, count);
        }
        if (pairs == 0) {
            return NOTHING;
        }
        long expert = 8L * groups;
        long firstPair = expert + 4L * groups;
        long list = firstPair + 4L * (groups + 1);
        long bytes = list + 4L * pairs;
        long base = (prompts ? promptTables : tables).growing(bytes);
        MemorySegment m = context.uploads().reserve(bytes);
        int at = 0;
        int entry = 0;
        for (int g = 0; g < wave.groups; g++) {
            int first = entry;
            for (int i = wave.firstPair[g]; i < wave.firstPair[g + 1]; i++) {
                int pair = wave.pairs[i];
                if (pair >= from && pair < to) {
                    m.set(ValueLayout.JAVA_INT, list + 4L * entry++, pair);
                }
            }
            if (entry > first) {
                m.set(ValueLayout.JAVA_LONG, 8L * at, wave.slotAddress[g]);
                m.set(ValueLayout.JAVA_INT, expert + 4L * at, wave.expert[g]);
                m.set(ValueLayout.JAVA_INT, firstPair + 4L * at++, first);
            }
        }
        m.set(ValueLayout.JAVA_INT, firstPair + 4L * at, entry);
        context.uploads().send(m, base);
        return new Part(new ProductOps.Groups(groups, most, base, base + firstPair, base + expert, base + list, prompts), pairs);
    }

    private static int count(ExpertWave wave, int group, int from, int to) {
        int count = 0;
        for (int i = wave.firstPair[group]; i < wave.firstPair[group + 1]; i++) {
            int pair = wave.pairs[i];
            count += pair >= from && pair < to ? 1 : 0;
        }
        return count;
    }

    @Override
    public void close() {
        inner.close();
        raised.close();
        tables.close();
        promptTables.close();
    }
}
