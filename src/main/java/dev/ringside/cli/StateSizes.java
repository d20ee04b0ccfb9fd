package dev.ringside.cli;

import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.GgufMetadata;
import dev.ringside.gguf.TensorInfo;

/** Size of a sequence's state, from the shapes of a file's tensors: attention keys and values in F16, the rest in F32. */
final class StateSizes {

    private static final int KV_BYTES = 2;
    /** A plane to read and one to write. */
    private static final int PLANES = 2;

    private StateSizes() {}

    static ModelReport.State of(GgufFile file, TensorRole.Blocks blocks) {
        GgufMetadata metadata = file.metadata();
        String prefix = file.architecture() + '.';
        long perToken = 0;
        long fixed = 0;
        for (int block = 0; block < blocks.count(); block++) {
            String name = "blk." + block + '.';
            TensorInfo conv = file.find(name + "ssm_conv1d.weight");
            TensorInfo decay = file.find(name + "ssm_a");
            if (conv != null && decay != null) {
                long keySize = metadata.getLong(prefix + "ssm.state_size", 128);
                TensorInfo norm = file.find(name + "ssm_norm.weight");
                long valueSize = norm == null ? keySize : norm.rowLength();
                fixed += 4 * (decay.elements() * keySize * valueSize + (conv.rowLength() - 1) * conv.rows());
            } else {
                perToken += KV_BYTES * (rows(file, name + "attn_k.weight") + rows(file, name + "attn_v.weight"));
            }
            TensorInfo indexKey = file.find(name + "indexer.k_proj.weight");
            long ratio = ratio(metadata, prefix, block);
            if (indexKey != null && ratio > 0) {
                perToken += 4 * indexKey.rows() / ratio;
                fixed += 4 * ratio * indexKey.rows();
            }
            TensorInfo nGram = file.find(name + "ple_conv1d.weight");
            if (nGram != null) {
                fixed += 4 * (nGram.rowLength() - 1) * metadata.getLong(prefix + "ple.ngram_size", 3) * nGram.rows();
            }
        }
        return new ModelReport.State(perToken, PLANES * fixed);
    }

    private static long rows(GgufFile file, String tensor) {
        TensorInfo found = file.find(tensor);
        return found == null ? 0 : found.rows();
    }

    private static long ratio(GgufMetadata metadata, String prefix, int block) {
        String key = prefix + "attention.compress_ratios";
        if (!metadata.has(key)) {
            return 0;
        }
        int[] ratios = metadata.getInts(key);
        return ratios.length == 1 ? ratios[0] : block < ratios.length ? ratios[block] : 0;
    }
}
