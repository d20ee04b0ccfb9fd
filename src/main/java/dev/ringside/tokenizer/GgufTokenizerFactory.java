package dev.ringside.tokenizer;

import dev.ringside.gguf.GgufMetadata;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalInt;

/** Builds a tokenizer from the {@code tokenizer.ggml.*} keys of a model file: the only place here that knows GGUF. */
final class GgufTokenizerFactory {

    private static final String PREFIX = "tokenizer.ggml.";

    /** Values of {@code tokenizer.ggml.model}. */
    private static final String BYTE_LEVEL = "gpt2";
    private static final String SENTENCE_PIECE = "llama";

    /** Keys that name a token which ends a turn or a text. */
    private static final List<String> END_KEYS = List.of(PREFIX + "eos_token_id", PREFIX + "eot_token_id", PREFIX + "eom_token_id");

    /** Spellings that end a turn or a text in every vocabulary that has them as special tokens. */
    private static final List<String> END_SPELLINGS = List.of("<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>",
            "<|return|>", "<|call|>");

    private GgufTokenizerFactory() {}

    /** With the normalisation of the tokenizers published with such models. */
    static Tokenizer create(GgufMetadata metadata) {
        if (usesPieces(metadata)) {
            return createPieces(metadata, Normalization.NONE);
        }
        PreTokenizer preTokenizer = preTokenizer(metadata);
        return create(metadata, preTokenizer, preTokenizer.normalization());
    }

    static Tokenizer create(GgufMetadata metadata, Normalization normalization) {
        return usesPieces(metadata) ? createPieces(metadata, normalization) : create(metadata, preTokenizer(metadata), normalization);
    }

    /** Byte-level, with a pre-tokeniser other than the one that the file names. */
    static Tokenizer create(GgufMetadata metadata, PreTokenizer preTokenizer, Normalization normalization) {
        Vocabulary vocabulary = vocabulary(metadata, Vocabulary.Spelling.BYTE_LEVEL);
        Merges merges = new Merges(metadata.getStrings(PREFIX + "merges"), vocabulary);
        EndTokens endTokens = endTokens(metadata, vocabulary, preTokenizer.addsBosByDefault());
        return new VocabularyTokenizer(vocabulary, () -> new BytePairPartEncoder(normalization, preTokenizer.scanner(),
                new BytePairEncoder(vocabulary, merges, preTokenizer.takesWholeWords())), false, endTokens);
    }

    private static Tokenizer createPieces(GgufMetadata metadata, Normalization normalization) {
        Vocabulary vocabulary = vocabulary(metadata, Vocabulary.Spelling.PIECES);
        PieceScores scores = new PieceScores(metadata.getFloats(PREFIX + "scores"), vocabulary);
        boolean spacePrefix = metadata.getBool(PREFIX + "add_space_prefix", true);
        EndTokens endTokens = endTokens(metadata, vocabulary, true);
        return new VocabularyTokenizer(vocabulary, () -> new PiecePartEncoder(normalization, spacePrefix, vocabulary.spacesLead(),
                new PieceEncoder(vocabulary, scores)), spacePrefix, endTokens);
    }

    private static boolean usesPieces(GgufMetadata metadata) {
        String model = metadata.getString(PREFIX + "model");
        return switch (model) {
            case BYTE_LEVEL -> false;
            case SENTENCE_PIECE -> true;
            default -> throw new TokenizerException(
                    "tokenizer.ggml.model is '" + model + "'; supported: " + BYTE_LEVEL + ", " + SENTENCE_PIECE);
        };
    }

    private static PreTokenizer preTokenizer(GgufMetadata metadata) {
        if (!metadata.has(PREFIX + "pre")) {
            throw new TokenizerException("tokenizer.ggml.pre is missing; expected one of " + PreTokenizer.names());
        }
        return PreTokenizer.named(metadata.getString(PREFIX + "pre"));
    }

    private static Vocabulary vocabulary(GgufMetadata metadata, Vocabulary.Spelling spelling) {
        int[] types = metadata.has(PREFIX + "token_type") ? metadata.getInts(PREFIX + "token_type") : new int[0];
        return new Vocabulary(metadata.getStrings(PREFIX + "tokens"), types, spelling);
    }

    private static EndTokens endTokens(GgufMetadata metadata, Vocabulary vocabulary, boolean addsBosByDefault) {
        BitSet ends = new BitSet();
        for (String key : END_KEYS) {
            tokenId(metadata, key, vocabulary).ifPresent(ends::set);
        }
        for (String spelling : END_SPELLINGS) {
            vocabulary.find(spelling).ifPresent(ends::set);
        }
        if (ends.isEmpty()) {
            throw new TokenizerException("tokenizer.ggml.eos_token_id is missing and the vocabulary has none of " + END_SPELLINGS
                    + ": generation could never end");
        }
        int eos = tokenId(metadata, END_KEYS.getFirst(), vocabulary).orElseGet(() -> ends.nextSetBit(0));
        OptionalInt bos = tokenId(metadata, PREFIX + "bos_token_id", vocabulary);
        boolean addBos = bos.isPresent() && metadata.getBool(PREFIX + "add_bos_token", addsBosByDefault);
        return new EndTokens(bos, addBos, eos, metadata.getBool(PREFIX + "add_eos_token", false), ends);
    }

    private static OptionalInt tokenId(GgufMetadata metadata, String key, Vocabulary vocabulary) {
        if (!metadata.has(key)) {
            return OptionalInt.empty();
        }
        long id = metadata.getLong(key);
        if (id < 0 || id >= vocabulary.size()) {
            throw new TokenizerException(key + " is " + id + ", expected a token id from 0 to " + (vocabulary.size() - 1));
        }
        return OptionalInt.of((int) id);
    }
}
