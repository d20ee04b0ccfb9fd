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
 * @param drafts whether the draft (MTP) block is loaded and its state kept, where the file has one
 * @param progress hears how far the loading is
 */
public record ModelOptions(int maxRows, int maxLogitRows, KvType kvType, int pageTokens, ExpertOptions experts, boolean drafts,
        LoadProgress.Listener progress) {

    /** Nobody hears how far it is. */
    public ModelOptions(int maxRows, int maxLogitRows, KvType kvType, int pageTokens, ExpertOptions experts, boolean drafts) {
        this(maxRows, maxLogitRows, kvType, pageTokens, experts, drafts, LoadProgress.Listener.NONE);
    }

    /** With a draft block, where the file has one. */
    public ModelOptions(int maxRows, int maxLogitRows, KvType kvType, int pageTokens, ExpertOptions experts) {
        this(maxRows, maxLogitRows, kvType, pageTokens, experts, true);
    }

    /** The same with somebody who hears how far it is. */
    public ModelOptions reporting(LoadProgress.Listener listener) {
        return new ModelOptions(maxRows, maxLogitRows, kvType, pageTokens, experts, drafts, listener);
    }
}
