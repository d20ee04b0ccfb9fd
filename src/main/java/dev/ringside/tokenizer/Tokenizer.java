package dev.ringside.tokenizer;

import dev.ringside.gguf.GgufMetadata;
import java.util.List;
import java.util.OptionalInt;

/** Encodes text to token ids and knows the text of every token. Immutable and safe for use by many threads. */
public interface Tokenizer {

    /**
     * Reads the tokenizer out of a model file. {@code tokenizer.ggml.model} is
     * <ul>
     * <li>{@code gpt2}: byte-level byte-pair encoding, {@code tokenizer.ggml.pre} one of {@code qwen2}, {@code qwen35}, {@code gpt-2} and
     * {@code llama-bpe} (or {@code llama3}, {@code llama-v3}), or
     * <li>{@code llama}: SentencePiece's BPE model with byte fallback.
     * </ul>
     * Text is normalised as the tokenizers published with the models do: to NFC for Qwen, not at all for the others.
     *
     * @throws TokenizerException naming the key, what it holds and what is supported
     */
    static Tokenizer from(GgufMetadata metadata) {
        return GgufTokenizerFactory.create(metadata);
    }

    /** As {@link #from(GgufMetadata)}, with a choice of normalisation whatever the model. */
    static Tokenizer from(GgufMetadata metadata, Normalization normalization) {
        return GgufTokenizerFactory.create(metadata, normalization);
    }

    /**
     * Encodes one text.
     *
     * @throws TokenizerException when the text holds half of a surrogate pair; the message gives its index
     */
    int[] encode(String text, SpecialTokens special);

    /**
     * Encodes a rendered prompt. The spans are cut into words as one text, as if they had been joined, but a special token is only
     * recognised where all its characters come from the template.
     *
     * @throws TokenizerException when the joined text holds half of a surrogate pair; the message gives its index
     */
    int[] encode(List<TextSpan> spans);

    /** Number of tokens; ids are 0 to this number, exclusive. */
    int vocabularySize();

    /** A copy of the bytes of a token: UTF-8, though not always whole characters. */
    byte[] tokenBytes(int id);

    /** Appends the bytes of a token to {@code target} at {@code offset} without allocating and returns their number. */
    int copyTokenBytes(int id, byte[] target, int offset);

    /** Length of {@link #tokenBytes(int)}. */
    int tokenLength(int id);

    /** Whether the token steers the model (turn marks, padding, unused entries) and has no text of its own to show. */
    boolean isControl(int id);

    /** Whether the model says with this token that it is done: the EOS and EOT tokens of the file, {@code <|im_end|>}, {@code <|endoftext|>}. */
    boolean isEndOfGeneration(int id);

    /** The end-of-sequence token. */
    int eosToken();

    /** The begin-of-sequence token, if the file names one. */
    OptionalInt bosToken();

    /** Whether plain prompts are to begin with {@link #bosToken()}; {@code encode} never adds it. */
    boolean addsBosToken();

    /** Whether texts for training or embedding are to end with {@link #eosToken()}; {@code encode} never adds it. */
    default boolean addsEosToken() {
        return false;
    }

    /**
     * Whether {@code encode} puts a space in front of a text and of what follows a special token, as SentencePiece does so that a word is
     * the same token at the beginning and in the middle. {@link TokenStreamDecoder#forWholeText} takes the first one away again.
     */
    default boolean addsSpacePrefix() {
        return false;
    }

    /** The id of the token with exactly this text; a special token is preferred to an ordinary one. */
    OptionalInt idOf(String token);

    /** The text of a token for people to read: bytes that are not whole characters show as U+FFFD. */
    String piece(int id);
}
