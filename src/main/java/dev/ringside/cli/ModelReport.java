package dev.ringside.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What {@code inspect} tells of a file; its JSON has these fields. Sizes are bytes. What the file does not say is null.
 *
 * @param file as it was named
 * @param parts all files of the model
 * @param formatVersion version of the GGUF format
 * @param synthetic whether {@code synthesize} made it: weights are random
 * @param layers trunk layers, draft blocks not counted
 * @param bytes of all tensors
 * @param roles tensors by what they are for, none left out
 * @param types tensors by how they are stored
 * @param experts null for dense models
 * @param fits one for each amount of memory asked for
 */
record ModelReport(String file, List<String> parts, int formatVersion, String architecture, @Nullable String name, boolean synthetic,
        Support support, @Nullable Long contextLength, int layers, int draftLayers, @Nullable Long hiddenSize, Heads heads,
        @Nullable Long vocabularySize, long parameters, long bytes, int tensors, List<Group> roles, List<Group> types,
        @Nullable Experts experts, State state, TokenizerInfo tokenizer, List<Fit> fits) {

    /**
     * Whether this version runs the model.
     *
     * @param runs null when it could not be tried here
     * @param reason why not, null when it runs
     */
    record Support(@Nullable Boolean runs, @Nullable String reason) {}

    /** Attention heads. */
    record Heads(@Nullable Long query, @Nullable Long keyValue, @Nullable Long size, int attentionLayers, int deltaNetLayers) {}

    /**
     * Tensors that have something in common.
     *
     * @param types of a role: bytes by type; of a type: bytes by role
     */
    record Group(String name, int tensors, long parameters, long bytes, Map<String, Long> types) {}

    /**
     * The routed experts, those of draft blocks too.
     *
     * @param perLayer experts of a layer
     * @param total experts of all layers
     * @param smallestBytes bytes of an expert of the layer whose experts are smallest
     * @param slotBytes bytes of a slot: the largest expert and its alignment
     * @param totalBytes bytes of all experts
     * @param bytesPerToken bytes of the experts one token uses
     * @param minimumSlots fewest slots the arena works with
     */
    record Experts(int perLayer, @Nullable Integer perToken, int layers, int total, long parametersEach, long smallestBytes, long slotBytes,
            long totalBytes, @Nullable Long bytesPerToken, int minimumSlots) {}

    /**
     * What a sequence keeps, keys and values in F16.
     *
     * @param bytesPerToken grows with each token
     * @param fixedBytes recurrent state and histories, both planes of it
     */
    record State(long bytesPerToken, long fixedBytes) {

        long at(long context) {
            return bytesPerToken * context + fixedBytes;
        }
    }

    /** The tokenizer. */
    record TokenizerInfo(@Nullable String model, @Nullable String preTokenizer, int tokens, int merges, boolean chatTemplate) {}

    /**
     * What fits in so much memory.
     *
     * @param denseBytes everything but the routed experts
     * @param stateBytes state of one sequence of {@code context} tokens
     * @param arenaBytes what is left for expert slots
     * @param slots experts that fit, at most all
     * @param share of all experts, 0 to 1
     * @param enough whether the model can run in it
     */
    record Fit(long memory, long context, long denseBytes, long stateBytes, long arenaBytes, int slots, double share, boolean enough) {}
}
