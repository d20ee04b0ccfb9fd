package dev.ringside.model;

import org.jspecify.annotations.Nullable;

/**
 * Hyper-parameters of a model with one residual stream and pre-norm layers.
 *
 * @param layers blocks, and which of them are attention
 * @param deltaNet the layers that are not attention, null when all are
 * @param experts the mixtures of experts, null when the feed-forward networks are dense
 * @param denseWidth inner size of a dense feed-forward network, 0 when there are experts
 * @param channelNorm tensor in front of the second half of a layer, without prefix
 */
record ResidualConfig(String architecture, int hidden, int vocabulary, int contextLength, float epsilon, LayerPlan layers,
        AttentionSpec attention, @Nullable DeltaNetSpec deltaNet, @Nullable ExpertSpec experts, int denseWidth, String channelNorm) {}
