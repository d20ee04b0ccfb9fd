package dev.ringside.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code bench} measured of sequence state; part of its JSON.
 *
 * @param position tokens of the sequence that was saved
 * @param bytes of its checkpoint
 * @param saveBytesPerSecond into memory that was used before, checksums included
 * @param restoreBytesPerSecond validation included
 * @param copyBytesPerSecond that a plain copy of as many bytes reaches
 * @param prefix null when the file has no tokenizer
 * @param drafts null without a draft (MTP) block or tokenizer
 */
record StateReport(int position, long bytes, double saveBytesPerSecond, double restoreBytesPerSecond, double copyBytesPerSecond,
        @Nullable Prefix prefix, @Nullable Drafts drafts) {

    /**
     * Time to the first token, median of the repeats.
     *
     * @param promptTokens tokens of the prompt
     * @param coldSeconds of a prompt never seen
     * @param hitSeconds of the same prompt again
     * @param cachedTokens tokens that were not computed again
     */
    record Prefix(int promptTokens, double coldSeconds, double hitSeconds, int cachedTokens) {}

    /**
     * Greedy decoding of a few texts.
     *
     * @param plainTokensPerSecond without drafts
     * @param plainTokens tokens generated
     */
    record Drafts(double plainTokensPerSecond, long plainTokens, List<Draft> settings) {}

    /**
     * Decoding with drafts.
     *
     * @param maxDrafts drafts of a step
     * @param adaptive whether that is the most of what the running engine chooses from
     * @param speedUp tokens a second over those without drafts
     * @param acceptance share of the drafts that were accepted
     * @param acceptanceAt that of the first drafts, the second and so on
     * @param tokensPerStep tokens that a step brings
     */
    record Draft(int maxDrafts, boolean adaptive, double tokensPerSecond, double speedUp, long drafted, long accepted, double acceptance,
            List<Double> acceptanceAt, double tokensPerStep) {}
}
