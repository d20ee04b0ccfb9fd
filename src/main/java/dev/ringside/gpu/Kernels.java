package dev.ringside.gpu;

import org.jspecify.annotations.Nullable;

/**
 * The maths of a forward pass, in operations coarse enough to be fused. All activations are F32, row-major, in device memory.
 *
 * <p><b>Laws.</b> A row's result does not depend, bit for bit, on which other rows are in the step, on how a prompt is cut into steps, or on
 * which wave an expert came in. It may depend on whether the row is one of a prompt ({@link StepRows#beginPrompts}). Operations are enqueued on the stream the instance was made for; sizes are checked when an operation is
 * called. Inputs and outputs must not overlap unless the operation says that it works in place. After warm-up no call allocates.
 *
 * <p>Formulas are named after the notation of the model documentation ({@code docs/models.md}).
 */
public interface Kernels {

    /** Steps without the host between their layers, or null where the host is the device. */
    default @Nullable ResidentKernels resident() {
        return null;
    }

    /** Makes the rows of a step known to the operations that follow. Must be called before the first operation of a step. */
    void beginStep(StepRows rows);

    /**
     * Gathers and decodes table rows of the step's tokens, each written {@code copies} times in a row.
     *
     * @param out {@code [rows][copies * columns]}
     */
    void embed(Matrix table, int copies, DevicePtr out);

    /**
     * {@code y = W x} for each row.
     *
     * @param x {@code [rows][columns]}
     * @param y {@code [rows][W.rows]}
     */
    void matmul(Matrix weights, DevicePtr x, int rows, DevicePtr y);

    /** {@code y_i = W_i x} for several matrices of as many columns. */
    default void matmul(Matrix[] weights, DevicePtr x, int rows, DevicePtr[] y) {
        for (int i = 0; i < weights.length; i++) {
            matmul(weights[i], x, rows, y[i]);
        }
    }

    /**
     * {@code sum += W x}.
     *
     * @param scratch {@code [rows][W.rows]}, what it holds afterwards is not said
     */
    default void addMatmul(Matrix weights, DevicePtr x, int rows, DevicePtr scratch, DevicePtr sum) {
        matmul(weights, x, rows, scratch);
        add(sum, scratch, (long) rows * weights.rows());
    }

    /** Copies row {@code StepRows.logitRow(i)} of x to row i of out, for the rows whose logits are wanted; {@code width} floats each. */
    void gatherLogitRows(DevicePtr x, int width, DevicePtr out);

    /**
     * RMS norm in groups: each row is {@code groups} runs of {@code width}, each divided by {@code sqrt(mean(x^2) + epsilon)} of its own and
     * multiplied by its part of {@code weight} ({@code groups * width}). Works in place.
     */
    void rmsNorm(DevicePtr x, DevicePtr weight, int rows, int groups, int width, float epsilon, DevicePtr out);

    /** {@code x += y}, element by element. */
    void add(DevicePtr x, DevicePtr y, long elements);

    /** SwiGLU feed-forward, {@code out[rows][down.rows]}. */
    void feedForward(FeedForward weights, DevicePtr x, int rows, DevicePtr out);

    /**
     * Mixes residual streams into one: with {@code N_c = RMS(X_c) . norm_c}, {@code G = sigmoid(Up silu((Down N) / count))},
     * {@code out = mean_c(G_c . N_c)} and, where the mixer has it, {@code inject = 2 sigmoid((Inject N) / count)}.
     *
     * @param streams {@code [rows][count * width]}, unchanged
     * @param out {@code [rows][width]}
     * @param inject {@code [rows][count]}, or null for the output mixer
     */
    void hyperConnectionMix(HyperConnection mixer, DevicePtr streams, int rows, DevicePtr out, @Nullable DevicePtr inject);

    /** {@code X_c += inject_c * delta} for each stream. */
    void hyperConnectionAdd(DevicePtr streams, DevicePtr delta, DevicePtr inject, int rows, int count, int width);

    /**
     * Per-head RMS norm and RoPE of queries and keys, and the append of keys and values to the sequence's pages.
     *
     * @param queryGate {@code [rows][heads * headSize * (gated ? 2 : 1)]}: per head the query, then the gate when gated
     * @param key {@code [rows][kvWidth]}, before norm and RoPE
     * @param value {@code [rows][kvWidth]}
     * @param query out, {@code [rows][queryWidth]}
     */
    void prepareAttention(AttentionShape shape, DevicePtr queryGate, DevicePtr key, DevicePtr value, DevicePtr query);

    /**
     * Causal attention of the step's rows over their sequences' pages, scale {@code headSize^-0.5}; with {@code selection} only over the
     * kept blocks and the tail. When the shape is gated the result is multiplied by the sigmoid of the gate in {@code queryGate}.
     * Reduction runs over positions in ascending order.
     *
     * @param out {@code [rows][queryWidth]}
     */
    void attention(AttentionShape shape, DevicePtr query, DevicePtr queryGate, @Nullable BlockSelection selection, DevicePtr out);

    /**
     * {@link #prepareAttention} and {@link #attention} over all positions.
     *
     * @param query scratch, {@code [rows][queryWidth]}: what it holds afterwards is not said
     */
    default void attend(AttentionShape shape, DevicePtr queryGate, DevicePtr key, DevicePtr value, DevicePtr query, DevicePtr out) {
        prepareAttention(shape, queryGate, key, value, query);
        attention(shape, query, queryGate, null, out);
    }

    /**
     * Appends raw index keys, finishes complete blocks, and chooses each row's blocks: query heads are normed and rotated at their position,
     * {@code score_b = sum_heads relu(q . K_b) / sqrt(headSize)} over the {@code (p + 1) / ratio} complete blocks, the best
     * {@code topBlocks} kept, ties to the lowest index.
     *
     * @param indexQuery {@code [rows][heads * headSize]}, raw
     * @param indexKey {@code [rows][headSize]}, raw
     */
    void selectBlocks(IndexerShape shape, DevicePtr indexQuery, DevicePtr indexKey, BlockSelection selection);

    /**
     * Gated DeltaNet behind its projections: causal convolution and silu, l2 norm of q and k (epsilon 1e-6 inside the root) with q scaled by
     * {@code keySize^-0.5}, decay {@code exp(a * softplus(alpha + bias))}, delta rule with {@code sigmoid(beta)}, output norm and gate.
     *
     * @param qkv {@code [rows][channels]}, raw
     * @param gate z, {@code [rows][valueWidth]}
     * @param alpha {@code [rows][valueHeads]}
     * @param beta {@code [rows][valueHeads]}
     * @param out {@code [rows][valueWidth]}
     */
    void deltaNet(DeltaNetShape shape, DevicePtr qkv, DevicePtr gate, DevicePtr alpha, DevicePtr beta, DevicePtr out);

    /** Gathers and decodes {@code count} table rows into {@code out[count][columns]}. Row numbers are 64-bit, in page-locked memory. */
    void gatherRows(Matrix table, PinnedBuffer rowNumbers, int count, DevicePtr out);

    /**
     * The n-gram embedding behind its projections, added to the streams: {@code X += V + silu(conv(N))} with
     * {@code s_c = RMS(key)_c . RMS(X)_c / sqrt(width)}, {@code V_c = sigmoid(sign(s_c) sqrt(max(|s_c|, 1e-6))) value},
     * {@code N = RMS(V)}.
     *
     * @param key {@code [rows][streams * width]}, raw
     * @param value {@code [rows][width]}
     * @param streams {@code [rows][streams * width]}, read and added to
     */
    void nGramEmbedding(NGramShape shape, DevicePtr key, DevicePtr value, DevicePtr streams);

    /**
     * Routes each row: logits {@code R x}, the best {@code choices} experts (ties to the lowest id), weights by softmax over the chosen
     * logits, times {@code scale}.
     */
    void route(Matrix router, DevicePtr x, int rows, float scale, RoutingTable table);

    /**
     * Runs the experts of a wave on their pairs: pair p reads row {@code p / choices} of x and writes row p of out.
     *
     * @param x {@code [rows][hidden]}
     * @param out {@code [rows * choices][hidden]}; rows of pairs in no wave are not touched
     */
    void experts(ExpertShape shape, DevicePtr x, ExpertWave wave, int choices, DevicePtr out);

    /**
     * {@code out[r] = sum_j weight[r][j] * y[r * choices + j]}, summed in router order, then plus {@code sigmoid(sharedGate . x[r]) * shared[r]}
     * where there is a shared expert.
     *
     * @param y {@code [rows * choices][width]}
     * @param shared {@code [rows][width]}, or null
     * @param sharedGate F32, {@code width}; null means a gate of 1
     */
    void combineExperts(DevicePtr y, RoutingTable table, int rows, int width, @Nullable DevicePtr shared, @Nullable DevicePtr sharedGate,
            DevicePtr x, DevicePtr out);
}
