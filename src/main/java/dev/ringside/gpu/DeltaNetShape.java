package dev.ringside.gpu;

/**
 * Geometry and small weights of one Gated DeltaNet layer, and where its state lies in a recurrent plane.
 *
 * <p>Plane contents for this layer: the state {@code S}, {@code [valueHeads][keySize][valueSize]} F32 at {@code stateOffset}, and the last
 * {@code kernel - 1} raw rows in front of the convolution, oldest first, {@code [kernel - 1][channels]} F32 at {@code historyOffset}.
 *
 * @param keyHeads Hk
 * @param valueHeads Hv, a multiple of Hk
 * @param keySize dk
 * @param valueSize dv
 * @param kernel taps of the causal depthwise convolution; the last multiplies the current token
 * @param groupedHeads which key head value head p uses: {@code p / (Hv / Hk)} when true (qwen3next), {@code p % Hk} when false
 *        (qwen35moe, qwen4exp)
 * @param sigmoidGate whether the output gate is sigmoid (qwen4exp) instead of silu
 * @param convolution F32, {@code [channels][kernel]}
 * @param timeBias F32, Hv ({@code ssm_dt.bias})
 * @param decay F32, Hv ({@code ssm_a}, which holds -exp(A_log))
 * @param norm F32, dv
 */
public record DeltaNetShape(int keyHeads, int valueHeads, int keySize, int valueSize, int kernel, boolean groupedHeads, boolean sigmoidGate,
        DevicePtr convolution, DevicePtr timeBias, DevicePtr decay, DevicePtr norm, float epsilon, long stateOffset, long historyOffset) {

    /** Channels of the convolution: q, k and v one after the other. */
    public int channels() {
        return 2 * keyHeads * keySize + valueHeads * valueSize;
    }

    /** Elements of one row of values, gates and outputs. */
    public int valueWidth() {
        return valueHeads * valueSize;
    }
}
