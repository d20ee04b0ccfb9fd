package dev.ringside.cli;

import dev.ringside.gguf.GgufOutputPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * A byte-level vocabulary that tokenizes any text: 256 byte tokens without merges, the released models' special tokens at their ids (behind
 * the bytes where the vocabulary is too small for that), and words that are only ever generated. With a ChatML template.
 */
final class SyntheticTokenizer {

    /** Bytes and specials. */
    static final int SMALLEST = 260;

    private static final int NORMAL = 1;
    private static final int CONTROL = 3;
    private static final int BYTES = 256;
    private static final int QWEN3_SPECIALS = 151_643;
    private static final int QWEN35_SPECIALS = 248_044;
    private static final String TEMPLATE = """
        {%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endfor %}\
        {%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}""";

    private SyntheticTokenizer() {}

    /** Id of {@code <|endoftext|>}; {@code <|im_start|>} and {@code <|im_end|>} follow. */
    static int endOfText(ModelShape shape) {
        int released = shape.preTokenizer().equals("qwen35") ? QWEN35_SPECIALS : QWEN3_SPECIALS;
        return released + 3 <= shape.vocabulary() ? released : BYTES;
    }

    static void put(GgufOutputPlan plan, ModelShape shape) {
        int size = shape.vocabulary();
        int specials = endOfText(shape);
        List<String> tokens = new ArrayList<>(size);
        for (int value = 0; value < BYTES; value++) {
            tokens.add(Character.toString(letter(value)));
        }
        for (int id = BYTES; id < size; id++) {
            // The letter in front stands for a space.
            tokens.add(letter(' ') + "w" + id);
        }
        int[] types = new int[size];
        Arrays.fill(types, NORMAL);
        List<String> names = List.of("<|endoftext|>", "<|im_start|>", "<|im_end|>");
        for (int i = 0; i < names.size(); i++) {
            tokens.set(specials + i, names.get(i));
            types[specials + i] = CONTROL;
        }
        String prefix = "tokenizer.ggml.";
        plan.putString(prefix + "model", "gpt2").putString(prefix + "pre", shape.preTokenizer())
                .putStrings(prefix + "tokens", Collections.unmodifiableList(tokens)).putInts(prefix + "token_type", types)
                .putStrings(prefix + "merges", List.of()).putInt(prefix + "eos_token_id", specials + 2)
                .putInt(prefix + "padding_token_id", specials).putBool(prefix + "add_bos_token", false)
                .putString("tokenizer.chat_template", TEMPLATE);
    }

    /** The printable letter that stands for a byte in a byte-level vocabulary: itself where that is one, else one from 256 on. */
    static char letter(int value) {
        int next = BYTES;
        for (int other = 0; other < value; other++) {
            next += printable(other) ? 0 : 1;
        }
        return (char) (printable(value) ? value : next);
    }

    private static boolean printable(int value) {
        return value >= '!' && value <= '~' || value >= 0xA1 && value <= 0xFF && value != 0xAD;
    }
}
