package dev.ringside.gpu;

/**
 * Small weights of the per-layer n-gram embedding (PLE, qwen4exp) and where its history lies in a recurrent plane.
 *
 * <p>The plane holds the last {@code (kernel - 1) * dilation} rows N in front of the convolution, oldest first,
 * {@code [..][streams * width]} F32 at {@code historyOffset}.
 *
 * @param keyNorm F32, {@code streams * width}
 * @param queryNorm F32, {@code streams * width}
 * @param convolutionNorm F32, {@code streams * width}
 * @param convolution F32, {@code [streams * width][kernel]}
 */
public record NGramShape(int streams, int width, int kernel, int dilation, DevicePtr keyNorm, DevicePtr queryNorm,
        DevicePtr convolutionNorm,
        DevicePtr convolution, float epsilon, long historyOffset) {

    /** Rows of history. */
    public int historyRows() {
        return (kernel - 1) * dilation;
    }
}
