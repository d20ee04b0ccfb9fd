package dev.ringside.model;

import dev.ringside.gguf.GgufMetadata;
import java.nio.file.Path;

/** Reads the hyper-parameters of one architecture: keys with its prefix, values checked against a range that the error names. */
final class MetadataReader {

    private final Path file;
    private final GgufMetadata metadata;
    private final String prefix;

    MetadataReader(Path file, GgufMetadata metadata, String architecture) {
        this.file = file;
        this.metadata = metadata;
        this.prefix = architecture + '.';
    }

    boolean has(String suffix) {
        return metadata.has(prefix + suffix);
    }

    int positive(String suffix) {
        return between(suffix, metadata.getInt(prefix + suffix), 1, 1 << 28);
    }

    int nonNegative(String suffix, int fallback) {
        return between(suffix, metadata.getInt(prefix + suffix, fallback), 0, 1 << 28);
    }

    float positiveFloat(String suffix) {
        float value = metadata.getFloat(prefix + suffix);
        if (!(value > 0) || Float.isInfinite(value)) {
            throw error(suffix, "expected a positive number, found " + value);
        }
        return value;
    }

    float floatOr(String suffix, float fallback) {
        return metadata.getFloat(prefix + suffix, fallback);
    }

    String text(String suffix) {
        return metadata.getString(prefix + suffix);
    }

    int[] perLayer(String suffix, int layers) {
        return metadata.getInts(prefix + suffix, layers);
    }

    int[] ints(String suffix) {
        return metadata.getInts(prefix + suffix);
    }

    boolean[] bools(String suffix) {
        return metadata.getBools(prefix + suffix);
    }

    long[] longs(String suffix, int expectedLength) {
        long[] values = metadata.getLongs(prefix + suffix);
        if (values.length != expectedLength) {
            throw error(suffix, "expected " + expectedLength + " values, found " + values.length);
        }
        return values;
    }

    /** Entries of the tokenizer's vocabulary, with the ids that refer to it checked. */
    int vocabulary() {
        int tokens = metadata.length("tokenizer.ggml.tokens");
        check(!has("vocab_size") || positive("vocab_size") == tokens, "vocab_size",
                "expected the " + tokens + " entries of tokenizer.ggml.tokens");
        for (String key : new String[] {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.bos_token_id"}) {
            if (metadata.has(key) && (metadata.getLong(key) < 0 || metadata.getLong(key) >= tokens)) {
                throw new ModelException(file, "key '" + key + "'",
                        "expected an id below the vocabulary size " + tokens + ", found " + metadata.getLong(key));
            }
        }
        return tokens;
    }

    ModelException error(String suffix, String problem) {
        return new ModelException(file, "key '" + prefix + suffix + "'", problem);
    }

    void check(boolean holds, String suffix, String problem) {
        if (!holds) {
            throw error(suffix, problem);
        }
    }

    private int between(String suffix, int value, int low, int high) {
        if (value < low || value > high) {
            throw error(suffix, "expected " + low + " to " + high + ", found " + value);
        }
        return value;
    }
}
