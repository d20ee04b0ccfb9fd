package dev.ringside.model;

import dev.ringside.gguf.GgufFile;
import org.jspecify.annotations.Nullable;

/**
 * Hyper-parameters of a {@code qwen4exp} model (Qwen3.8-Flash-Next and its like), read from GGUF metadata and checked against each other.
 *
 * @param layers blocks, and which of them are attention
 * @param streams parallel residual streams
 * @param mixerRank inner size of the stream mixers
 * @param nGram the per-layer embedding, null when the model has none
 */
record Qwen4ExpConfig(int hidden, int vocabulary, int contextLength, float epsilon, LayerPlan layers, AttentionSpec attention,
        DeltaNetSpec deltaNet, ExpertSpec experts, IndexerSpec indexer, int streams, int mixerRank, @Nullable NGramSpec nGram) {

    static final String ARCHITECTURE = "qwen4exp";

    static Qwen4ExpConfig read(GgufFile file) {
        MetadataReader keys = new MetadataReader(file.path(), file.metadata(), ARCHITECTURE);
        LayerPlan layers = LayerPlan.read(keys);
        int hidden = keys.positive("embedding_length");
        AttentionSpec attention = AttentionSpec.read(keys, hidden, true, true, false);
        IndexerSpec indexer = IndexerSpec.read(keys, layers.blocks());
        keys.check(indexer.largestRatio() == 0 || attention.rotary().width() <= indexer.headSize(), "attention.indexer.key_length",
                "expected at least the " + attention.rotary().width() + " rotated elements, found " + indexer.headSize());
        return new Qwen4ExpConfig(hidden, keys.vocabulary(), keys.positive("context_length"),
                keys.positiveFloat("attention.layer_norm_rms_epsilon"), layers, attention, DeltaNetSpec.read(keys, false, true),
                ExpertSpec.read(keys, true), indexer, keys.positive("hyper_connection.count"), keys.positive("hyper_connection.low_rank"),
                NGramSpec.read(keys, layers.trunk()));
    }

    /** Width of a row of all streams. */
    int bundle() {
        return streams * hidden;
    }
}
