package dev.ringside.gpu.host;

import dev.ringside.gguf.GgmlType;

/**
 * SwiGLU networks of one shape, each on its own rows, in two parallel phases for all of them: gate, up and their product, then down. Items
 * are (network, panel of outputs), so one token's few experts keep all threads busy with two barriers.
 */
final class GatedNetwork implements AutoCloseable {

    private final WorkerPool pool;
    private final RowMultiplier multiplier;
    private final PackedRows packed;
    private final Scratch scratch = new Scratch();
    private final ParallelTask gateTask = this::gatePanels;
    private final ParallelTask downTask = this::downPanels;

    private GgmlType gateType = GgmlType.F32;
    private GgmlType upType = GgmlType.F32;
    private GgmlType downType = GgmlType.F32;
    private int inputs;
    private int width;
    private int outputs;
    private int networks;
    private int pairs;
    private int panelRows;
    private int panels;

    // Addresses of each network's matrices, and the first of its pairs.
    private long[] gate = new long[0];
    private long[] up = new long[0];
    private long[] down = new long[0];
    // Factors on each network's stored values: gate, up, down.
    private float[] scales = new float[0];
    private int[] first = new int[1];
    // The first group of packed rows of each network.
    private int[] groups = new int[0];
    // Addresses of each pair's rows.
    private long[] x = new long[0];
    private long[] gated = new long[0];
    private long[] raised = new long[0];
    private long[] y = new long[0];

    GatedNetwork(WorkerPool pool) {
        this.pool = pool;
        this.multiplier = new RowMultiplier(pool.threads());
        this.packed = new PackedRows(pool);
    }

    /** Begins a batch of networks of {@code width x inputs} gates and ups and {@code outputs x width} downs. */
    void begin(GgmlType typeOfGate, GgmlType typeOfUp, GgmlType typeOfDown, int inputCount, int innerWidth, int outputCount) {
        gateType = typeOfGate;
        upType = typeOfUp;
        downType = typeOfDown;
        inputs = inputCount;
        width = innerWidth;
        outputs = outputCount;
        networks = 0;
        pairs = 0;
        first[0] = 0;
    }

    /** Makes room for this many networks and pairs. */
    void reserve(int networkCount, int pairCount) {
        if (networkCount > gate.length) {
            gate = new long[networkCount];
            up = new long[networkCount];
            down = new long[networkCount];
            scales = new float[3 * networkCount];
            first = new int[networkCount + 1];
            groups = new int[networkCount];
        }
        if (pairCount > x.length) {
            x = new long[pairCount];
            gated = new long[pairCount];
            raised = new long[pairCount];
            y = new long[pairCount];
        }
    }

    /** Adds a network; its pairs follow. */
    void network(long gateAddress, long upAddress, long downAddress, float gateScale, float upScale, float downScale) {
        scales[3 * networks] = gateScale;
        scales[3 * networks + 1] = upScale;
        scales[3 * networks + 2] = downScale;
        gate[networks] = gateAddress;
        up[networks] = upAddress;
        down[networks] = downAddress;
        networks++;
        first[networks] = pairs;
    }

    /** Adds a row in and a row out to the network added last. */
    void pair(long input, long output) {
        x[pairs] = input;
        y[pairs] = output;
        pairs++;
        first[networks] = pairs;
    }

    void run() {
        if (pairs == 0) {
            return;
        }
        long inner = scratch.floats(2L * pairs * width);
        for (int p = 0; p < pairs; p++) {
            gated[p] = inner + 8L * p * width;
            raised[p] = gated[p] + 4L * width;
        }
        multiplier.reserve(Math.max(inputs, width));
        pack(x, inputs);
        split(inputs, width);
        pool.run(gateTask, Math.multiplyExact(networks, panels), grain(2L * inputs));
        pack(gated, width);
        split(width, outputs);
        pool.run(downTask, Math.multiplyExact(networks, panels), grain(width));
    }

    /** Packs the rows of networks with more than one. */
    private void pack(long[] rows, int columns) {
        packed.begin(rows, pairs);
        for (int n = 0; n < networks; n++) {
            if (first[n + 1] - first[n] > 1) {
                groups[n] = packed.add(first[n], first[n + 1]);
            }
        }
        packed.pack(columns);
    }

    private int grain(long columns) {
        return MatmulOps.grain(columns * panelRows * Math.max(1, pairs / networks));
    }

    private void split(int columns, int rows) {
        panelRows = WorkArea.panelRows(columns);
        panels = (rows + panelRows - 1) / panelRows;
        while (networks * panels < 2 * pool.threads() && panelRows > WorkArea.MIN_ROWS) {
            panelRows = Math.max(WorkArea.MIN_ROWS, panelRows / 2 & -WorkArea.MIN_ROWS);
            panels = (rows + panelRows - 1) / panelRows;
        }
    }

    private void gatePanels(int worker, int from, int to) {
        multiplier.begin(worker);
        long gateBytes = gateType.rowBytes(inputs);
        long upBytes = upType.rowBytes(inputs);
        WorkArea area = multiplier.area(worker);
        for (int item = from; item < to; item++) {
            int n = item / panels;
            int output = (item % panels) * panelRows;
            int count = Math.min(panelRows, width - output);
            if (first[n] < first[n + 1]) {
                int end = Math.min(width, output + (to - item) * panelRows);
                area.weights().toward(gate[n] + output * gateBytes, gate[n] + end * gateBytes);
                area.otherWeights().toward(up[n] + output * upBytes, up[n] + end * upBytes);
                multiplier.multiply(worker, gateType, gate[n] + output * gateBytes, inputs, count, x, gated, output, first[n],
                        first[n + 1], packed, groups[n]);
                multiplier.multiply(worker, upType, up[n] + output * upBytes, inputs, count, x, raised, output, first[n], first[n + 1],
                        packed, groups[n]);
                for (int p = first[n]; p < first[n + 1]; p++) {
                    activate(gated[p] + 4L * output, scales[3 * n], raised[p] + 4L * output, scales[3 * n + 1], count);
                }
            }
        }
    }

    /** {@code gate = silu(gateScale * gate) * upScale * up}. */
    private static void activate(long gate, float gateScale, long up, float upScale, int count) {
        Activations.silu(gate, gateScale, count, gate);
        if (upScale != 1) {
            NormKernel.scale(gate, upScale, count, gate);
        }
        int whole = Vectors.whole(count);
        for (int i = 0; i < whole; i += Vectors.LANES) {
            Vectors.store(Vectors.load(gate + 4L * i).mul(Vectors.load(up + 4L * i)), gate + 4L * i);
        }
        for (int i = whole; i < count; i++) {
            HostMemory.setFloat(gate + 4L * i, HostMemory.getFloat(gate + 4L * i) * HostMemory.getFloat(up + 4L * i));
        }
    }

    private void downPanels(int worker, int from, int to) {
        multiplier.begin(worker);
        long downBytes = downType.rowBytes(width);
        LookAhead ahead = multiplier.area(worker).weights();
        for (int item = from; item < to; item++) {
            int n = item / panels;
            int output = (item % panels) * panelRows;
            if (first[n] < first[n + 1]) {
                int count = Math.min(panelRows, outputs - output);
                ahead.toward(down[n] + output * downBytes, down[n] + Math.min(outputs, output + (to - item) * panelRows) * downBytes);
                multiplier.multiply(worker, downType, down[n] + output * downBytes, width, count, gated, y, output, first[n], first[n + 1],
                        packed, groups[n]);
                NormKernel.scaleRows(y, first[n], first[n + 1], output, count, scales[3 * n + 2]);
            }
        }
    }

    @Override
    public void close() {
        multiplier.close();
        packed.close();
        scratch.close();
    }
}
