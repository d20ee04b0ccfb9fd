package dev.ringside.gpu.host;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.ExpertShape;
import dev.ringside.gpu.ExpertWave;
import dev.ringside.gpu.FeedForward;
import dev.ringside.gpu.Matrix;
import org.jspecify.annotations.Nullable;

/** Dense feed-forward networks and the experts of a wave. */
final class FeedForwardOps implements AutoCloseable {

    private final GatedNetwork network;

    FeedForwardOps(WorkerPool pool) {
        this.network = new GatedNetwork(pool);
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
        network.begin(gate.type(), up.type(), down.type(), gate.columns(), gate.rows(), down.rows());
        network.reserve(1, rows);
        network.network(gate.data().address(), up.data().address(), down.data().address(), gate.scale(), up.scale(), down.scale());
        for (int r = 0; r < rows; r++) {
            network.pair(x.address() + 4L * r * gate.columns(), out.address() + 4L * r * down.rows());
        }
        network.run();
    }

    /** See {@link dev.ringside.gpu.Kernels#experts}. */
    void experts(ExpertShape shape, DevicePtr x, ExpertWave wave, int choices, DevicePtr out) {
        int pairs = wave.groups == 0 ? 0 : wave.firstPair[wave.groups];
        network.begin(shape.gateType(), shape.upType(), shape.downType(), shape.hidden(), shape.width(), shape.hidden());
        network.reserve(wave.groups, pairs);
        long rowBytes = 4L * shape.hidden();
        for (int g = 0; g < wave.groups; g++) {
            long slot = wave.slotAddress[g];
            if (slot == 0) {
                throw new IllegalArgumentException("Group " + g + " of the expert wave has no slot");
            }
            int expert = wave.expert[g];
            network.network(slot + shape.gateOffset(), slot + shape.upOffset(), slot + shape.downOffset(), scale(shape.gateScale(), expert),
                    scale(shape.upScale(), expert), scale(shape.downScale(), expert));
            for (int i = wave.firstPair[g]; i < wave.firstPair[g + 1]; i++) {
                int pair = wave.pairs[i];
                require(pair, choices, rowBytes, x, out);
                network.pair(x.address() + pair / choices * rowBytes, out.address() + pair * rowBytes);
            }
        }
        network.run();
    }

    private static float scale(@Nullable DevicePtr scales, int expert) {
        if (scales == null) {
            return 1;
        }
        scales.require(4L * (expert + 1), "Scales of the experts");
        return HostMemory.getFloat(scales.address() + 4L * expert);
    }

    private static void require(int pair, int choices, long rowBytes, DevicePtr x, DevicePtr out) {
        if (pair < 0) {
            throw new IllegalArgumentException("Pair " + pair + " of the expert wave is negative");
        }
        if (x.bytes() < (pair / choices + 1) * rowBytes || out.bytes() < (pair + 1) * rowBytes) {
            x.require((pair / choices + 1) * rowBytes, "Input of the experts");
            out.require((pair + 1) * rowBytes, "Output of the experts");
        }
    }

    @Override
    public void close() {
        network.close();
    }
}
