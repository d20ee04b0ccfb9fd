/** Text to token ids and back: byte-level byte-pair encoding as Qwen, Llama 3 and GPT-2 have it, and SentencePiece's BPE model. */
@NullMarked
package dev.ringside.tokenizer;

import org.jspecify.annotations.NullMarked;
