package dev.ringside.gpu.host;

/**
 * Rows of activations as {@link Tiles} read them: in groups of {@value Tiles#COLUMNS}, first every other vector of all rows of a group,
 * beginning with vector 0, then the others. A tile then reads one stream instead of one for each row, which spares most of what the compiler
 * checks before a loop: 122 GFLOP/s of a core instead of 106. Elements that do not fill two vectors are left out.
 */
final class PackedRows implements AutoCloseable {

    private static final int GROUP = Tiles.COLUMNS;
    /** Vectors worth handing to a thread: some 10 us of copying. */
    private static final int MIN_VECTORS = 4096;

    private final WorkerPool pool;
    private final Scratch scratch = new Scratch();
    private final ParallelTask task = this::packGroups;

    private long packed;
    private int vectors;
    private int groups;
    private long[] rows = new long[0];
    /** For each group its first row and the one behind its last. */
    private int[] bounds = new int[2];

    PackedRows(WorkerPool pool) {
        this.pool = pool;
    }

    /** Begins with no rows. */
    void begin(long[] addresses, int most) {
        rows = addresses;
        groups = 0;
        if (bounds.length < 2 * most) {
            bounds = new int[2 * most];
        }
    }

    /** Adds the rows {@code from} to {@code to} - 1, which begin a group, and returns the number of that group. */
    int add(int from, int to) {
        int first = groups;
        for (int row = from; row < to; row += GROUP) {
            bounds[2 * groups] = row;
            bounds[2 * groups + 1] = Math.min(to, row + GROUP);
            groups++;
        }
        return first;
    }

    /** Packs all rows that were added. */
    void pack(int columns) {
        vectors = columns / (2 * Lanes.COUNT) * 2;
        packed = scratch.bytes(Math.multiplyExact((long) groups, groupBytes()));
        pool.run(task, groups, Math.max(1, MIN_VECTORS / Math.max(1, GROUP * vectors)));
    }

    private long groupBytes() {
        return (long) GROUP * vectors * Lanes.BYTES;
    }

    /** Address of a group. */
    long group(int number) {
        return packed + number * groupBytes();
    }

    private void packGroups(int worker, int from, int to) {
        for (int group = from; group < to; group++) {
            int last = bounds[2 * group + 1] - 1;
            for (int i = 0; i < GROUP; i++) {
                copy(rows[Math.min(bounds[2 * group] + i, last)], group(group) + (long) i * Lanes.BYTES);
            }
        }
    }

    private void copy(long row, long target) {
        int step = GROUP * Lanes.BYTES;
        int half = vectors / 2;
        for (int i = 0; i < half; i++) {
            Vectors.store(Vectors.load(row + 2L * Lanes.BYTES * i), target + (long) step * i);
        }
        long others = target + (long) step * half;
        for (int i = 0; i < half; i++) {
            Vectors.store(Vectors.load(row + Lanes.BYTES + 2L * Lanes.BYTES * i), others + (long) step * i);
        }
    }

    @Override
    public void close() {
        scratch.close();
    }
}
