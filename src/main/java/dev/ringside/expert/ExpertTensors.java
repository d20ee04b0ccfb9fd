package dev.ringside.expert;

import dev.ringside.gguf.TensorInfo;

/**
 * The stacked expert tensors of one layer. Dimensions are fastest first: gate and up {@code {hidden, width, experts}}, down
 * {@code {width, hidden, experts}}. Where gate and up are fused in one tensor {@code {hidden, 2 * width, experts}} (gate rows first), it
 * is given as both.
 */
public record ExpertTensors(int layer, TensorInfo gate, TensorInfo up, TensorInfo down) {

    /** Whether gate and up are one tensor. */
    public boolean fused() {
        return gate.equals(up);
    }
}
