package dev.ringside.engine;

import dev.ringside.tokenizer.SpecialTokens;
import dev.ringside.tokenizer.TextSpan;
import dev.ringside.tokenizer.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** A vocabulary of given pieces followed by an end token. */
final class TestTokenizer implements Tokenizer {

    private final List<byte[]> tokens;
    private final Set<String> controls;

    TestTokenizer(List<byte[]> pieces) {
        this(pieces, Set.of());
    }

    private TestTokenizer(List<byte[]> pieces, Set<String> controls) {
        this.controls = controls;
        tokens = new ArrayList<>(pieces);
        tokens.add(new byte[0]);
    }

    static TestTokenizer ofWords(String... words) {
        return ofWords(Set.of(), words);
    }

    /** Some of the words are control tokens. */
    static TestTokenizer ofWords(Set<String> controls, String... words) {
        List<byte[]> pieces = new ArrayList<>();
        for (String word : words) {
            pieces.add(word.getBytes(StandardCharsets.UTF_8));
        }
        return new TestTokenizer(pieces, controls);
    }

    /** {@code w0 }, {@code w1 }, ... and the end token, {@code size} in all. */
    static TestTokenizer ofSize(int size) {
        String[] words = new String[size - 1];
        for (int i = 0; i < words.length; i++) {
            words[i] = "w" + i + " ";
        }
        return ofWords(words);
    }

    @Override
    public int[] encode(String text, SpecialTokens special) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int[] encode(List<TextSpan> spans) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int vocabularySize() {
        return tokens.size();
    }

    @Override
    public byte[] tokenBytes(int id) {
        return tokens.get(id).clone();
    }

    @Override
    public int copyTokenBytes(int id, byte[] target, int offset) {
        byte[] bytes = tokens.get(id);
        System.arraycopy(bytes, 0, target, offset, bytes.length);
        return bytes.length;
    }

    @Override
    public int tokenLength(int id) {
        return tokens.get(id).length;
    }

    @Override
    public boolean isControl(int id) {
        return id == eosToken() || controls.contains(piece(id));
    }

    @Override
    public boolean isEndOfGeneration(int id) {
        return id == eosToken();
    }

    @Override
    public int eosToken() {
        return tokens.size() - 1;
    }

    @Override
    public OptionalInt bosToken() {
        return OptionalInt.empty();
    }

    @Override
    public boolean addsBosToken() {
        return false;
    }

    @Override
    public OptionalInt idOf(String token) {
        for (int id = 0; id < eosToken(); id++) {
            if (piece(id).equals(token)) {
                return OptionalInt.of(id);
            }
        }
        return OptionalInt.empty();
    }

    @Override
    public String piece(int id) {
        return new String(tokens.get(id), StandardCharsets.UTF_8);
    }
}
