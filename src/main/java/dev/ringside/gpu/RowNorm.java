package dev.ringside.gpu;

/**
 * The RMS norm that rows still need, see {@link Kernels#rmsNorm}: whoever reads them may norm them on the way.
 *
 * @param x {@code [rows][width]}, unchanged
 * @param weight F32, width
 */
public record RowNorm(DevicePtr x, DevicePtr weight, int width, float epsilon) {

    /** Norms the rows by itself. */
    public void apply(Kernels kernels, int rows, DevicePtr out) {
        kernels.rmsNorm(x, weight, rows, 1, width, epsilon, out);
    }
}
