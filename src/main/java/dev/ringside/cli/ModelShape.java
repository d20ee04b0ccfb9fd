package dev.ringside.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hyper-parameters of a released model, as its GGUF files state them.
 *
 * @param like the name for {@code --like}
 * @param title name of the released model
 * @param layers trunk layers; no draft blocks
 * @param gatedAttention whether the query projection gives an output gate too
 * @param rotary leading elements of a head that are rotated
 * @param attentionInterval every so many layers one is attention, the others Gated DeltaNet
 * @param feedForward inner size of dense layers: a key that files of mixtures carry, though nothing uses it
 * @param sharedWidth inner size of the shared expert, 0 when there is none
 * @param preTokenizer {@code tokenizer.ggml.pre}
 * @param deltaNet null when all layers are attention
 * @param streams null when there is one residual stream
 */
record ModelShape(String like, String title, String architecture, int layers, int hidden, int heads, int kvHeads, int headSize,
        boolean gatedAttention, int rotary, float ropeBase, int attentionInterval, int experts, int perToken, int expertWidth,
        int feedForward,
        int sharedWidth, int vocabulary, int context, String preTokenizer, @Nullable DeltaNet deltaNet, @Nullable Streams streams) {

    /** Gated DeltaNet heads, all of one size; {@code kernel} taps of its convolution. */
    record DeltaNet(int keyHeads, int valueHeads, int headSize, int kernel) {

        int valueWidth() {
            return valueHeads * headSize;
        }

        int channels() {
            return 2 * keyHeads * headSize + valueWidth();
        }
    }

    /**
     * Parallel residual streams with what comes with them: mixers, sparse attention, n-gram embedding.
     *
     * @param rank inner size of a mixer
     * @param indexBudget most tokens a query attends to through the index
     */
    record Streams(int count, int rank, int indexHeads, int indexSize, int indexBudget, int indexRatio, NGramTable nGram, int nGramRowWidth,
            int nGramKernel) {}

    private static final int QWEN3_VOCABULARY = 151_936;
    private static final int QWEN35_VOCABULARY = 248_320;
    private static final int LONG_CONTEXT = 262_144;

    /** All that can be asked for. */
    static List<ModelShape> all() {
        return List.of(
                new ModelShape("qwen3-30b-a3b", "Qwen3-30B-A3B", "qwen3moe", 48, 2048, 32, 4, 128, false, 128, 1e6f, 1, 128, 8, 768, 6144,
                        0,
                        QWEN3_VOCABULARY, 40_960, "qwen2", null, null),
                new ModelShape("qwen3-next-80b", "Qwen3-Next-80B-A3B", "qwen3next", 48, 2048, 16, 2, 256, true, 64, 1e7f, 4, 512, 10, 512,
                        5120, 512,
                        QWEN3_VOCABULARY, LONG_CONTEXT, "qwen2", new DeltaNet(16, 32, 128, 4), null),
                new ModelShape("qwen3.6-35b-a3b", "Qwen3.6-35B-A3B", "qwen35moe", 40, 2048, 16, 2, 256, true, 64, 1e7f, 4, 256, 8, 512, 0,
                        512,
                        QWEN35_VOCABULARY, LONG_CONTEXT, "qwen35", new DeltaNet(16, 32, 128, 4), null),
                new ModelShape("qwen3.8-flash-next", "Qwen3.8-Flash-Next", "qwen4exp", 48, 2560, 24, 2, 256, true, 64, 1e7f, 4, 512, 10,
                        640, 0, 640,
                        QWEN35_VOCABULARY, LONG_CONTEXT, "qwen35", new DeltaNet(16, 48, 128, 4),
                        new Streams(4, 320, 4, 128, 2048, 4, NGramTable.of(3, 8, NGramTable.RELEASED_ROWS, QWEN35_VOCABULARY), 160, 4)));
    }

    boolean attention(int layer) {
        return (layer + 1) % attentionInterval == 0;
    }

    /** The block that the n-gram embedding is added in front of. */
    int nGramLayer() {
        return Math.min(1, layers - 1);
    }

    /** The same with another number of layers. */
    ModelShape withLayers(int count) {
        return new ModelShape(like, title, architecture, count, hidden, heads, kvHeads, headSize, gatedAttention, rotary, ropeBase,
                attentionInterval, experts, perToken, expertWidth, feedForward, sharedWidth, vocabulary, context, preTokenizer, deltaNet,
                streams);
    }

    /** The same with another number of experts a layer; a token uses at most as many. */
    ModelShape withExperts(int count) {
        return new ModelShape(like, title, architecture, layers, hidden, heads, kvHeads, headSize, gatedAttention, rotary, ropeBase,
                attentionInterval, count, Math.min(perToken, count), expertWidth, feedForward, sharedWidth, vocabulary, context,
                preTokenizer, deltaNet,
                streams);
    }

    /** The same with other tables: tokens of the vocabulary, rows of the n-gram table (about so many, and of no meaning without one). */
    ModelShape withTables(int tokens, long nGramRows) {
        Streams tables = streams == null
                ? null
                : new Streams(streams.count(), streams.rank(), streams.indexHeads(), streams.indexSize(), streams.indexBudget(),
                        streams.indexRatio(), NGramTable.of(3, 8, nGramRows, tokens), streams.nGramRowWidth(), streams.nGramKernel());
        return new ModelShape(like, title, architecture, layers, hidden, heads, kvHeads, headSize, gatedAttention, rotary, ropeBase,
                attentionInterval, experts, perToken, expertWidth, feedForward, sharedWidth, tokens, context, preTokenizer, deltaNet,
                tables);
    }
}
