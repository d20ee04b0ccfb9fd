package dev.ringside.gpu.host;

import dev.ringside.gguf.GgmlType;
import java.util.Arrays;

/**
 * Multiplies a few stored weight rows with many activation rows. Each worker decodes the weight rows to floats in its own cache, once, then
 * sums every product in the order of {@link DotKernels}: one activation row or five hundred give the same bits.
 */
final class RowMultiplier implements AutoCloseable {

    /** Pairs of vectors of a pass over a panel: what a tile reads then stays in the first-level cache. */
    private static final int CHUNK = 1024 / Lanes.COUNT;

    private final WorkArea[] areas;
    private int columns;

    RowMultiplier(int workers) {
        areas = new WorkArea[workers];
        for (int i = 0; i < workers; i++) {
            areas[i] = new WorkArea();
        }
    }

    /** Makes room for rows of {@code wanted} elements on every worker; called before the work is shared out. */
    void reserve(int wanted) {
        if (wanted <= columns) {
            return;
        }
        for (WorkArea area : areas) {
            area.reserve(wanted);
        }
        columns = wanted;
    }

    WorkArea area(int worker) {
        return areas[worker];
    }

    /** To be called by a worker when it begins a task, after which no row of activations may change until the task is over. */
    void begin(int worker) {
        areas[worker].begin();
    }

    /**
     * {@code y[r][output + o] = w[o] . x[r]} for {@code count} weight rows and the activation rows {@code from} to {@code to} - 1.
     *
     * @param weights address of the first weight row
     * @param count weight rows, at most {@link WorkArea#panelRows}
     * @param x address of each activation row
     * @param y address of each row of results
     * @param packed the activation rows once more, from {@code firstGroup} on; not read when there is but one row
     */
    void multiply(int worker, GgmlType type, long weights, int width, int count, long[] x, long[] y, int output, int from, int to,
            PackedRows packed, int firstGroup) {
        WorkArea area = areas[worker];
        long rowBytes = type.rowBytes(width);
        boolean inPlace = type == GgmlType.F32;
        if (to - from == 1 && StoredDots.supports(type, width)) {
            area.load(x[from], width);
            for (int o = 0; o < count; o++) {
                StoredDots.dot(type, weights + o * rowBytes, width, area, o * Lanes.COUNT);
            }
            StoredDots.finish(area.laneSums(), count, y[from] + 4L * output);
            return;
        }
        if (to - from == 1) {
            for (int o = 0; o < count; o++) {
                long row = weights + o * rowBytes;
                if (!inPlace) {
                    WeightRows.decode(type, row, width, area.panel(), area);
                    row = area.panel();
                }
                HostMemory.setFloat(y[from] + 4L * (output + o), DotKernels.dot(row, x[from], width));
            }
            return;
        }
        long rows = weights;
        long stride = rowBytes;
        if (!inPlace) {
            rows = area.panel();
            stride = WorkArea.panelStride(width);
            for (int o = 0; o < count; o++) {
                WeightRows.decode(type, weights + o * rowBytes, width, rows + o * stride, area);
            }
        }
        for (int r = from, group = firstGroup; r < to; r += Tiles.COLUMNS, group++) {
            tiles(rows, stride, width, count, x, y, output, r, Math.min(Tiles.COLUMNS, to - r), packed.group(group),
                    area.laneSums());
        }
    }

    /** All weight rows with a group of up to four activation rows. */
    private static void tiles(long rows, long stride, int width, int count, long[] x, long[] y, int output, int r, int present, long group,
            float[] sums) {
        boolean half = present <= Tiles.COLUMNS / 2;
        int pairs = width / (2 * Lanes.COUNT);
        int step = 2 * Lanes.BYTES;
        Arrays.fill(sums, 0f);
        for (int from = 0; from < pairs; from += CHUNK) {
            int bytes = step * Math.min(CHUNK, pairs - from);
            for (int parity = 0; parity < 2; parity++) {
                long vectors = group + (long) Tiles.COLUMNS * Lanes.BYTES * (parity * pairs + from);
                long weights = rows + (long) step * from + parity * Lanes.BYTES;
                for (int o = 0; o < count; o += Tiles.ROWS) {
                    Tiles.tile(weights + o * stride, stride, Math.min(Tiles.ROWS, count - o) - 1, vectors, half, bytes, sums,
                            2 * Lanes.COUNT * Tiles.COLUMNS * o + parity * Lanes.COUNT);
                }
            }
        }
        DotKernels.reduce(sums, count * Tiles.COLUMNS);
        for (int i = 0; i < present; i++) {
            for (int o = 0; o < count; o++) {
                float sum = DotKernels.addRest(sums[o * Tiles.COLUMNS + i], rows + o * stride, x[r + i], width);
                HostMemory.setFloat(y[r + i] + 4L * (output + o), sum);
            }
        }
    }

    @Override
    public void close() {
        for (WorkArea area : areas) {
            area.close();
        }
        columns = 0;
    }
}
