package dev.ringside.model;

/**
 * Geometry of a model's Gated DeltaNet layers.
 *
 * @param groupedHeads whether value head p uses key head {@code p / (valueHeads / keyHeads)}, else {@code p % keyHeads}
 * @param sigmoidGate whether the output gate is sigmoid, else silu
 */
record DeltaNetSpec(int keyHeads, int valueHeads, int keySize, int valueSize, int kernel, boolean groupedHeads, boolean sigmoidGate) {

    static DeltaNetSpec read(MetadataReader keys, boolean groupedHeads, boolean sigmoidGate) {
        int keyHeads = keys.positive("ssm.group_count");
        int valueHeads = keys.positive("ssm.time_step_rank");
        keys.check(valueHeads % keyHeads == 0, "ssm.time_step_rank",
                "expected a multiple of ssm.group_count " + keyHeads + ", found " + valueHeads);
        int inner = keys.positive("ssm.inner_size");
        keys.check(inner % valueHeads == 0, "ssm.inner_size",
                "expected a multiple of ssm.time_step_rank " + valueHeads + ", found " + inner);
        return new DeltaNetSpec(keyHeads, valueHeads, keys.positive("ssm.state_size"), inner / valueHeads, keys.positive("ssm.conv_kernel"),
                groupedHeads, sigmoidGate);
    }

    int valueWidth() {
        return valueHeads * valueSize;
    }

    /** Channels of the convolution: q, k and v. */
    int channels() {
        return 2 * keyHeads * keySize + valueWidth();
    }
}
