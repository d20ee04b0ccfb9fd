package dev.ringside.tokenizer;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The pre-tokenisers that {@code tokenizer.ggml.pre} may name: how they cut text into words, and what else the models that use them have
 * in common.
 */
@SuppressWarnings("ImmutableEnumChecker") // List.of and records without mutable parts
enum PreTokenizer {
    /** Qwen 2 to Qwen3-Next: combining marks count as other characters. */
    QWEN2(List.of("qwen2"), new ModernWords(false, 1), Normalization.NFC),
    /** Qwen3.5 and later: combining marks belong to the letters. */
    QWEN35(List.of("qwen35"), new ModernWords(true, 1), Normalization.NFC),
    /** Llama 3: up to three digits to a word, a word that is a token is not merged, prompts begin with BOS. */
    LLAMA3(List.of("llama-bpe", "llama3", "llama-v3"), new ModernWords(false, 3), Normalization.NONE),
    /** GPT-2. */
    GPT2(List.of("gpt-2"), new Gpt2Words(), Normalization.NONE);

    private final List<String> keys;
    private final WordScanner scanner;
    private final Normalization normalization;

    PreTokenizer(List<String> keys, WordScanner scanner, Normalization normalization) {
        this.keys = keys;
        this.scanner = scanner;
        this.normalization = normalization;
    }

    /**
     * The pre-tokeniser that {@code tokenizer.ggml.pre} names. {@code default} is refused: converters write it for tokenizers that they do
     * not know, so it says nothing about how the model's own one cuts.
     */
    static PreTokenizer named(String key) {
        for (PreTokenizer candidate : values()) {
            if (candidate.keys.contains(key)) {
                return candidate;
            }
        }
        throw new TokenizerException("tokenizer.ggml.pre is '" + key + "'; supported: " + names()
                + (key.equals("default")
                        ? "; the converter did not recognise the model's tokenizer, convert the model again with a current one"
                        : ""));
    }

    static String names() {
        return Arrays.stream(values()).flatMap(candidate -> candidate.keys.stream()).collect(Collectors.joining(", "));
    }

    WordScanner scanner() {
        return scanner;
    }

    /** What the tokenizers published with these models do. */
    Normalization normalization() {
        return normalization;
    }

    /** Whether a word that is in the vocabulary is taken whole, whatever its merges are. */
    boolean takesWholeWords() {
        return this == LLAMA3;
    }

    /** Whether prompts begin with BOS when the file does not say. */
    boolean addsBosByDefault() {
        return this == LLAMA3;
    }
}
