package dev.ringside.gpu.cuda;

import dev.ringside.gpu.DeltaNetShape;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.StepRows;

/** Gated DeltaNet: convolution and norm, the recurrence with the state in registers, output norm and gate. */
final class DeltaNetOps implements AutoCloseable {

    /** As in delta.cu and scan.cu. */
    private static final int COLUMNS = 32;
    private static final int PARTS = 8;
    private static final int MOST = 128;
    /** As in scan.cu. */
    private static final int SCAN_THREADS = 128;
    private static final int GATE_BYTES = 16;
    private static final int[] KEY_SIZES = {64, 128, 512};

    private final OperationContext context;
    private final FastProducts fast;
    private final Scratch convolved;
    private final Kernel convolve;
    private final Kernel step;
    private final Kernel[] recur;
    private final Scratch gates;
    private final Kernel prepare;
    private final Kernel[] scan;
    private final Kernel finish;

    DeltaNetOps(OperationContext context, FastProducts fast) {
        this.context = context;
        this.fast = fast;
        this.convolved = context.scratch("DeltaNet activations");
        this.convolve = context.kernel("delta", "delta_convolve");
        this.step = context.kernel("delta", "delta_step");
        this.recur = new Kernel[] {context.kernel("delta", "delta_recur_8"), context.kernel("delta", "delta_recur_16"),
            context.kernel("delta", "delta_recur_64")};
        this.gates = context.scratch("DeltaNet gates");
        this.prepare = context.kernel("scan", "delta_gates");
        this.scan = new Kernel[] {context.kernel("scan", "delta_scan_2"), context.kernel("scan", "delta_scan_4")};
        this.finish = context.kernel("delta", "delta_finish");
    }

    /** See {@link dev.ringside.gpu.Kernels#deltaNet}. */
    void deltaNet(DeltaNetShape net, DevicePtr qkv, DevicePtr gate, DevicePtr alpha, DevicePtr beta, DevicePtr out) {
        StepRows rows = context.rows();
        int count = rows.rows();
        require(net, count, qkv, gate, alpha, beta, out);
        if (count == 0) {
            return;
        }
        if (context.step().rounded() && net.keySize() <= MOST && net.valueSize() <= MOST) {
            step(net, qkv, gate, alpha, beta, out);
            return;
        }
        long channels = convolved.floats((long) count * net.channels());
        Launch launch = context.launch().of(convolve).i64(context.step().address());
        shape(convolution(launch, net), net).i64(qkv.address()).i64(channels).run(2 * net.keyHeads() + net.valueHeads(), count,
                OperationContext.threads(Math.max(net.keySize(), net.valueSize()), 256));
        int columns = OperationContext.blocks(net.valueSize(), COLUMNS);
        int heads = Math.multiplyExact(count, net.valueHeads());
        int decoded = scans(net) ? rows.decodeSegments() : rows.segments();
        if (decoded > 0) {
            launch = context.launch().of(recur[size(net)]).i64(context.step().address());
            shape(launch, net).i64(channels).i64(alpha.address()).i64(beta.address()).i64(out.address()).run(columns, net.valueHeads(),
                    decoded, COLUMNS * PARTS, 8 * net.keySize());
        }
        if (decoded < rows.segments()) {
            long prepared = gates.bytes((long) GATE_BYTES * heads);
            shape(context.launch().of(prepare), net).i64(channels).i64(alpha.address()).i64(beta.address()).i32(heads).i64(prepared)
                    .run(OperationContext.blocks(heads, 8), 1, 256);
            launch = context.launch().of(scan[size(net)]).i64(context.step().address());
            shape(launch, net).i32(decoded).i64(channels).i64(prepared).i64(out.address()).run(columns, net.valueHeads(),
                    rows.segments() - decoded, SCAN_THREADS, 0);
        }
        shape(context.launch().of(finish), net).i64(gate.address()).i64(out.address()).i32(heads)
                .i64(parts(net, out, count)).i32(count)
                .run(OperationContext.blocks(heads, 4), 1,
                        128);
    }

    /** Whether the rows of prompts have a kernel of their own. */
    private static boolean scans(DeltaNetShape net) {
        return net.keySize() <= KEY_SIZES[1] && net.keySize() % 4 == 0 && net.valueSize() % 4 == 0 && net.stateOffset() % 8 == 0;
    }

    /** All in one kernel, for rows that decode. */
    private void step(DeltaNetShape net, DevicePtr qkv, DevicePtr gate, DevicePtr alpha, DevicePtr beta, DevicePtr out) {
        StepRows rows = context.rows();
        long parts = parts(net, out, rows.rows());
        Launch launch = context.launch().of(step).i64(context.step().address());
        shape(convolution(launch, net), net).i64(qkv.address()).i64(gate.address()).i64(alpha.address()).i64(beta.address())
                .i64(out.address()).i64(parts).i32(rows.rows()).run(net.valueHeads(), rows.segments(), MOST * PARTS);
    }

    /** Kernels write the parts of whole groups, so groups must lie within heads. */
    private long parts(DeltaNetShape net, DevicePtr out, int count) {
        if (net.valueSize() % 32 == 0) {
            return fast.made(out.address(), count, net.valueWidth());
        }
        fast.forget(out.address());
        return 0;
    }

    /** Appends {@code struct Convolution}. */
    private static Launch convolution(Launch launch, DeltaNetShape net) {
        return launch.struct().i32(net.channels()).i32(net.kernel()).i32(1).i64(net.historyOffset()).i64(net.convolution().address()).end();
    }

    private static int size(DeltaNetShape net) {
        for (int i = 0; i < KEY_SIZES.length; i++) {
            if (net.keySize() <= KEY_SIZES[i]) {
                return i;
            }
        }
        throw new IllegalArgumentException(
                "The CUDA backend has DeltaNet keys of at most " + KEY_SIZES[KEY_SIZES.length - 1] + " elements, got "
                        + net.keySize());
    }

    private static Launch shape(Launch launch, DeltaNetShape net) {
        return launch.struct().i32(net.keyHeads()).i32(net.valueHeads()).i32(net.keySize()).i32(net.valueSize()).flag(net.groupedHeads())
                .flag(net.sigmoidGate()).i64(net.stateOffset()).i64(net.timeBias().address()).i64(net.decay().address())
                .i64(net.norm().address()).f32(net.epsilon()).end();
    }

    private static void require(DeltaNetShape net, int count, DevicePtr qkv, DevicePtr gate, DevicePtr alpha, DevicePtr beta,
            DevicePtr out) {
        qkv.require(4L * count * net.channels(), "DeltaNet q, k and v");
        gate.require(4L * count * net.valueWidth(), "DeltaNet gates");
        alpha.require(4L * count * net.valueHeads(), "DeltaNet alphas");
        beta.require(4L * count * net.valueHeads(), "DeltaNet betas");
        out.require(4L * count * net.valueWidth(), "DeltaNet output");
        net.convolution().require(4L * net.channels() * net.kernel(), "DeltaNet convolution");
        net.timeBias().require(4L * net.valueHeads(), "DeltaNet time bias");
        net.decay().require(4L * net.valueHeads(), "DeltaNet decay");
        net.norm().require(4L * net.valueSize(), "DeltaNet norm");
        if (net.valueHeads() % net.keyHeads() != 0) {
            throw new IllegalArgumentException(
                    "DeltaNet value heads must be a multiple of key heads, got " + net.valueHeads() + " and " + net.keyHeads());
        }
        size(net);
    }

    @Override
    public void close() {
        convolved.close();
        gates.close();
    }
}
