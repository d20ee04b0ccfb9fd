package dev.ringside.model;

import dev.ringside.expert.ExpertOptions;
import dev.ringside.gpu.KvType;

/**
 * What a model is loaded for.
 *
 * @param maxRows most rows of one step
 * @param maxLogitRows most rows of one step whose logits are wanted
 * @param kvType storage of attention keys and values
 * @param pageTokens tokens of a page of positional state
 * @param experts how and where experts are kept
 */
public record ModelOptions(int maxRows, int maxLogitRows, KvType kvType, int pageTokens, ExpertOptions experts) {}
