package dev.ringside.gpu.host;

import dev.ringside.gpu.StepRows;

/**
 * Causal depthwise convolution over the rows of segments, whose rows in front of the step come from a recurrent plane. Works on runs of
 * channels, which are independent.
 */
@SuppressWarnings("NullAway.Init") // arguments of the call in progress
final class CausalConvolution {

    private StepRows rows;
    private long input;
    private int channels;
    private int kernel;
    private int dilation;
    private long weights;
    private long historyOffset;

    /**
     * @param inputRows {@code [rows][channelCount]}
     * @param tapWeights {@code [channelCount][kernelSize]}
     * @param planeOffset where the {@code (kernelSize - 1) * tapDistance} rows of history lie in a plane, oldest first
     */
    void begin(StepRows stepRows, long inputRows, int channelCount, int kernelSize, int tapDistance, long tapWeights, long planeOffset) {
        rows = stepRows;
        input = inputRows;
        channels = channelCount;
        kernel = kernelSize;
        dilation = tapDistance;
        weights = tapWeights;
        historyOffset = planeOffset;
    }

    int historyRows() {
        return (kernel - 1) * dilation;
    }

    /** Transposes the weights of a run of channels to {@code [kernel][count]}. */
    void transposeWeights(int channel, int count, long target) {
        long source = weights + 4L * channel * kernel;
        for (int i = 0; i < count; i++) {
            for (int tap = 0; tap < kernel; tap++) {
                HostMemory.setFloat(target + 4L * (tap * count + i), HostMemory.getFloat(source + 4L * (i * kernel + tap)));
            }
        }
    }

    /** {@code out = silu(conv)} of a run of channels at row {@code index} of a segment. */
    void silu(int segment, int index, int channel, int count, long transposed, long out) {
        NormKernel.zero(out, count);
        for (int tap = 0; tap < kernel; tap++) {
            long source = row(segment, index - (kernel - 1 - tap) * dilation) + 4L * channel;
            NormKernel.addProduct(transposed + 4L * tap * count, source, count, out);
        }
        Activations.silu(out, 1f, count, out);
    }

    /** Leaves the history of a run of channels in the planes kept by the rows of a segment. */
    void keepHistory(int segment, int channel, int count) {
        int first = rows.firstRow(segment);
        int history = historyRows();
        for (int index = 0; index < rows.rowCount(segment); index++) {
            long plane = rows.planeOut(first + index);
            if (plane != 0) {
                long target = plane + historyOffset + 4L * channel;
                for (int h = 0; h < history; h++) {
                    HostMemory.copy(row(segment, index - (history - 1) + h) + 4L * channel, target + 4L * h * channels, 4L * count);
                }
            }
        }
    }

    /** The row {@code index} of a segment; negative ones are history. */
    private long row(int segment, int index) {
        return index >= 0
                ? input + 4L * (rows.firstRow(segment) + index) * channels
                : rows.planeIn(segment) + historyOffset + 4L * (historyRows() + index) * channels;
    }
}
