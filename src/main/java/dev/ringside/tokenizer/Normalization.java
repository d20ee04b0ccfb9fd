package dev.ringside.tokenizer;

/** Unicode normalisation done before a text is cut into words. */
public enum Normalization {
    /** Canonical composition, as the Qwen tokenizers of Hugging Face do. */
    NFC,
    /** None, as llama.cpp does for all models. */
    NONE
}
