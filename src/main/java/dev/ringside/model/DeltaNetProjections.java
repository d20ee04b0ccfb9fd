package dev.ringside.model;

import dev.ringside.gpu.Matrix;

/**
 * The input projections of a Gated DeltaNet layer, whatever layout the file has them in: separate; {@code ssm_ba} with beta and alpha of each
 * key head's value heads in turn; or the early {@code ssm_in} that mixes q, k, v and z per key head.
 *
 * @param qkv {@code channels x hidden}: q, k and v one after the other
 * @param gate {@code valueWidth x hidden}
 * @param alpha {@code valueHeads x hidden}
 * @param beta {@code valueHeads x hidden}
 */
record DeltaNetProjections(Matrix qkv, Matrix gate, Matrix alpha, Matrix beta) {

    static DeltaNetProjections bind(WeightBinder weights, String prefix, DeltaNetSpec spec, int hidden) {
        Matrix qkv;
        Matrix gate;
        String mixed = prefix + "ssm_in.weight";
        if (weights.has(mixed)) {
            int all = spec.channels() + spec.valueWidth();
            qkv = weights.rows(mixed, hidden, all, mixedChannels(spec));
            gate = weights.rows(mixed, hidden, all, mixedGate(spec));
        } else {
            qkv = weights.matrix(prefix + "attn_qkv.weight", hidden, spec.channels());
            gate = weights.matrix(prefix + "attn_gate.weight", hidden, spec.valueWidth());
        }
        int heads = spec.valueHeads();
        String grouped = prefix + "ssm_ba.weight";
        if (weights.has(grouped)) {
            return new DeltaNetProjections(qkv, gate, weights.rows(grouped, hidden, 2 * heads, groupedRows(spec, true)),
                    weights.rows(grouped, hidden, 2 * heads, groupedRows(spec, false)));
        }
        return new DeltaNetProjections(qkv, gate, weights.matrix(prefix + "ssm_alpha.weight", hidden, heads),
                weights.matrix(prefix + "ssm_beta.weight", hidden, heads));
    }

    /** Rows of {@code ssm_ba}: per key head the betas of its value heads, then their alphas. */
    private static int[] groupedRows(DeltaNetSpec spec, boolean alpha) {
        int ratio = spec.valueHeads() / spec.keyHeads();
        int[] rows = new int[spec.valueHeads()];
        for (int head = 0; head < rows.length; head++) {
            rows[head] = 2 * ratio * (head / ratio) + (alpha ? ratio : 0) + head % ratio;
        }
        return rows;
    }

    /** Rows of {@code ssm_in}: per key head q, k, then v and z of its value heads. */
    private static int[] mixedChannels(DeltaNetSpec spec) {
        int keys = spec.keyHeads() * spec.keySize();
        int values = spec.valueWidth() / spec.keyHeads();
        int stride = 2 * spec.keySize() + 2 * values;
        int[] rows = new int[spec.channels()];
        for (int i = 0; i < keys; i++) {
            int start = i / spec.keySize() * stride + i % spec.keySize();
            rows[i] = start;
            rows[keys + i] = start + spec.keySize();
        }
        for (int i = 0; i < spec.valueWidth(); i++) {
            rows[2 * keys + i] = i / values * stride + 2 * spec.keySize() + i % values;
        }
        return rows;
    }

    private static int[] mixedGate(DeltaNetSpec spec) {
        int values = spec.valueWidth() / spec.keyHeads();
        int stride = 2 * spec.keySize() + 2 * values;
        int[] rows = new int[spec.valueWidth()];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = i / values * stride + 2 * spec.keySize() + values + i % values;
        }
        return rows;
    }
}
