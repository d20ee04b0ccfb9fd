package dev.ringside.sampling.grammar;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Every byte as a token, some longer tokens, control tokens, and one that ends the generation: the last. */
record ToyVocabulary(List<byte[]> texts, int firstControl) implements Vocabulary {

    static final List<String> CONTROLS = List.of("<|im_start|>", "<call>", "</think>");
    private static final List<String> PIECES = List.of("{\"", "\":", "\": ", "\",", "\", \"", "\"}", "\"}\n", "\",\n  \"", "},", "}]", "[]",
            "{}", "[\"", "\"]",
            "true", "false", "null", "tr", "ue", "na", "me", "name", "\"name\"", "value", "00", "12", "123", "-1", "0.", "e+", "\\\"",
            "\\u", "\\u00", "\\ud83d", "\\\\",
            "é", "日本", "👩", " a", " the", "abc", "aa", "ab\"", "b\",\"", "x\":1", "\n  ", "\n\n", "  ", "    ", "<to", "<tool", "ol_call>",
            "<tool_call>", "call>{",
            ">{\"", ">\n", "</tool_call>", "<call>{", "k>{");

    static ToyVocabulary bytesAnd(List<String> longer, List<byte[]> raw) {
        List<byte[]> texts = new ArrayList<>();
        for (int b = 0; b < 256; b++) {
            texts.add(new byte[] {(byte) b});
        }
        longer.forEach(text -> texts.add(text.getBytes(StandardCharsets.UTF_8)));
        texts.addAll(raw);
        texts.add(new byte[0]);
        int firstControl = texts.size();
        CONTROLS.forEach(text -> texts.add(text.getBytes(StandardCharsets.UTF_8)));
        texts.add("<|end|>".getBytes(StandardCharsets.UTF_8));
        return new ToyVocabulary(texts, firstControl);
    }

    /** The pieces above and some hundred random ones, among them parts of characters. */
    static ToyVocabulary random(Random random) {
        Set<String> pieces = new LinkedHashSet<>(PIECES);
        String alphabet = "{}[]\",:\\ \n0123456789.-+eEabcdntruefls_";
        for (int i = 0; i < 300; i++) {
            StringBuilder piece = new StringBuilder();
            int length = 2 + random.nextInt(4);
            for (int k = 0; k < length; k++) {
                piece.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            pieces.add(piece.toString());
        }
        byte[] character = "👩é日".getBytes(StandardCharsets.UTF_8);
        List<byte[]> raw = new ArrayList<>();
        for (int from = 0; from < character.length; from++) {
            for (int to = from + 2; to <= character.length; to++) {
                raw.add(Arrays.copyOfRange(character, from, to));
            }
        }
        return bytesAnd(List.copyOf(pieces), raw);
    }

    int end() {
        return texts.size() - 1;
    }

    int control(String text) {
        return firstControl + CONTROLS.indexOf(text);
    }

    /** The token with this text. */
    int token(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int t = 0; t < firstControl; t++) {
            if (Arrays.equals(texts.get(t), bytes)) {
                return t;
            }
        }
        throw new IllegalArgumentException(text);
    }

    @Override
    public int size() {
        return texts.size();
    }

    @Override
    public byte[] bytes(int token) {
        return texts.get(token);
    }

    @Override
    public boolean endsGeneration(int token) {
        return token == end();
    }

    @Override
    public boolean control(int token) {
        return token >= firstControl;
    }
}
