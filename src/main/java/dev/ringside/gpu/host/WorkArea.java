package dev.ringside.gpu.host;

import java.lang.foreign.MemorySegment;

/** Memory of one worker for decoding and multiplying weight rows: a panel of decoded rows and the scratch of decoders. */
final class WorkArea implements AutoCloseable {

    /** Floats of a panel: it should stay in the second-level cache of a core. */
    private static final int PANEL_FLOATS = 1 << 16;
    /** Most rows of a panel. */
    static final int MAX_ROWS = 16;
    /** Fewest rows of a panel, however long they are: those of a tile. */
    static final int MIN_ROWS = Tiles.ROWS;
    /** Between the rows of a panel, so that rows of a power of two do not share the sets of the first-level cache. */
    private static final int PAD_FLOATS = 16;

    private final Scratch scratch = new Scratch();
    private int columns = -1;
    private long panel;
    private long packed;
    private long table;
    private float[] row = new float[0];
    private float[] x = new float[0];
    private float[] scales = new float[0];
    private final float[] laneSums = new float[MAX_ROWS * Tiles.COLUMNS * 2 * Lanes.COUNT];
    private byte[] quants = new byte[0];
    private short[] halves = new short[0];
    private long loaded;
    private final LookAhead weights = new LookAhead();
    private final LookAhead otherWeights = new LookAhead();

    /** Rows of {@code columns} elements that a panel holds, whole tiles. */
    static int panelRows(int columns) {
        return Math.clamp(PANEL_FLOATS / Math.max(1, columns) & -MIN_ROWS, MIN_ROWS, MAX_ROWS);
    }

    /** Bytes from a row of a panel to the next. */
    static long panelStride(int columns) {
        return 4L * (columns + PAD_FLOATS);
    }

    /** Makes room for rows of {@code wanted} elements; must be called by one thread while the worker is idle. */
    void reserve(int wanted) {
        if (wanted <= columns) {
            return;
        }
        // A panel of shorter rows has more of them, but never more floats than the larger of these two.
        long floats = Math.max(PANEL_FLOATS, (long) MIN_ROWS * wanted) + MAX_ROWS * PAD_FLOATS;
        long packedFloats = (wanted / 64L + 15) / 16 * 16 + 16;
        long tableFloats = KQuantDecoders.tableFloats(wanted);
        panel = scratch.floats(floats + packedFloats + tableFloats);
        packed = panel + 4 * floats;
        table = packed + 4 * packedFloats;
        row = new float[wanted];
        x = new float[wanted];
        scales = new float[ScaleTables.floats(wanted)];
        quants = new byte[wanted];
        halves = new short[wanted];
        columns = wanted;
    }

    /** {@link #panelRows} decoded rows, {@link #panelStride} apart. */
    long panel() {
        return panel;
    }

    /** 16 bytes for each 256 elements of a row. */
    long packed() {
        return packed;
    }

    /** 16 floats for each 256 elements of a row. */
    long table() {
        return table;
    }

    /** One row on the heap. */
    float[] row() {
        return row;
    }

    /** Forgets what was read: to be called when a task begins, since the rows of the last may have changed. */
    void begin() {
        loaded = 0;
        weights.begin();
        otherWeights.begin();
    }

    LookAhead weights() {
        return weights;
    }

    /** For a second matrix that is read in turn with the first. */
    LookAhead otherWeights() {
        return otherWeights;
    }

    /** Makes {@link #x} a copy of the row of activations at this address. */
    void load(long address, int count) {
        if (address != loaded) {
            MemorySegment.copy(HostMemory.ALL, HostMemory.FLOAT, address, x, 0, count);
            loaded = address;
        }
    }

    /** The row of activations loaded last. */
    float[] x() {
        return x;
    }

    /** Table of {@link ScaleTables}. */
    float[] scales() {
        return scales;
    }

    /** A byte for each element of a row. */
    byte[] quants() {
        return quants;
    }

    /** A half for each element of a row. */
    short[] halves() {
        return halves;
    }

    /** Accumulators of the products of a panel with a few rows. */
    float[] laneSums() {
        return laneSums;
    }

    @Override
    public void close() {
        scratch.close();
        columns = -1;
    }
}
