package dev.ringside.tokenizer;

import java.util.Objects;

/**
 * A piece of a prompt together with its origin.
 *
 * @param text the characters
 * @param fromTemplate true when the chat template wrote them, so that special tokens in them count; false when they came out of
 *        a message or a tool description, where {@code <|im_end|>} is only ten characters
 */
public record TextSpan(String text, boolean fromTemplate) {

    public TextSpan {
        Objects.requireNonNull(text, "text");
    }
}
