package dev.ringside.gpu.host;

import dev.ringside.gguf.GgmlType;
import java.util.Arrays;

/**
 * Multiplies a few stored weight rows with many activation rows. Each worker decodes the weight rows to floats in its own cache, once, then
 * sums every product in the order of {@link DotKernels}: one activation row or five hundred give the same bits.
 */
final class RowMultiplier implements AutoCloseable {

    /** Columns of a pass over a panel: four rows of activations then stay in the first-level cache. */
    private static final int CHUNK = 1024;

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
     */
    void multiply(int worker, GgmlType type, long weights, int width, int count, long[] x, long[] y, int output, int from, int to) {
        WorkArea area = areas[worker];
        long rowBytes = type.rowBytes(width);
        boolean inPlace = type == GgmlType.F32;
        if (to - from == 1 && StoredDots.supports(type)) {
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
        int r = from;
        for (; r < to - 1; r += DotKernels.TILE_COLUMNS) {
            tiles(rows, stride, width, count, x, y, output, r, Math.min(DotKernels.TILE_COLUMNS, to - r), area.laneSums());
        }
        if (r == to - 1) {
            for (int o = 0; o < count; o++) {
                HostMemory.setFloat(y[r] + 4L * (output + o), DotKernels.dot(rows + o * stride, x[r], width));
            }
        }
    }

    /** All weight rows with up to four activation rows; a missing one is another computed again. */
    private static void tiles(long rows, long stride, int width, int count, long[] x, long[] y, int output, int r, int present,
            float[] sums) {
        int last = r + present - 1;
        long x1 = x[Math.min(r + 1, last)];
        long x2 = x[Math.min(r + 2, last)];
        int products = count * DotKernels.TILE_COLUMNS;
        Arrays.fill(sums, 0f);
        int paired = width & -2 * Lanes.COUNT;
        for (int column = 0; column < paired; column += CHUNK) {
            int end = Math.min(paired, column + CHUNK);
            for (int o = 0; o < count; o += DotKernels.TILE_ROWS) {
                DotKernels.tile(rows + o * stride, stride, Math.min(DotKernels.TILE_ROWS, count - o) - 1, x[r], x1, x2, x[last], 4 * column,
                        4 * end,
                        sums, 2 * Lanes.COUNT * DotKernels.TILE_COLUMNS * o);
            }
        }
        DotKernels.reduce(sums, products);
        for (int i = 0; i < present; i++) {
            for (int o = 0; o < count; o++) {
                float sum = DotKernels.addRest(sums[o * DotKernels.TILE_COLUMNS + i], rows + o * stride, x[r + i], width);
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
