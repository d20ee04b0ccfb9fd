package dev.ringside.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenStreamDecoderTest {

    private static final Tokenizer TOKENIZER = TestVocabularies.demo(Normalization.NONE);

    @ParameterizedTest
    @ValueSource(strings = {"\uD83D\uDC69\u200D\uD83D\uDC69\u200D\uD83D\uDC67\u200D\uD83D\uDC66",
        "\u6771\u4EAC\u306E\u671D\u306F\u9759\u304B\u3067\u3059\u3002",
        "na\u00EFve caf\u00E9", "\u0928\u092E\u0938\u094D\u0924\u0947", "plain"})
    void charactersOverTokenBoundariesComeOutWhole(String text) {
        TokenStreamDecoder decoder = new TokenStreamDecoder(TOKENIZER);
        StringBuilder all = new StringBuilder();
        for (int id : TOKENIZER.encode(text, SpecialTokens.AS_TEXT)) {
            String delta = decoder.append(id);
            assertThat(delta).doesNotContain("\uFFFD");
            assertThat(delta.isEmpty() || !Character.isHighSurrogate(delta.charAt(delta.length() - 1))).isTrue();
            all.append(delta);
        }
        assertThat(decoder.flush()).isEmpty();
        assertThat(all.toString()).isEqualTo(text);
    }

    @Test
    void charactersSplitIntoSingleBytesComeOutWithTheirLastByte() {
        assertThat(deltas("\u00E9".getBytes(StandardCharsets.UTF_8))).containsExactly("", "\u00E9");
        assertThat(deltas("\uD83D\uDE42".getBytes(StandardCharsets.UTF_8))).containsExactly("", "", "", "\uD83D\uDE42");
    }

    @Test
    void tailOfABrokenCharacterIsFlushedAsOneReplacement() {
        TokenStreamDecoder decoder = new TokenStreamDecoder(TOKENIZER);
        assertThat(decoder.append(byteToken(0xF0))).isEmpty();
        assertThat(decoder.append(byteToken(0x9F))).isEmpty();
        assertThat(decoder.flush()).isEqualTo("\uFFFD");
        assertThat(decoder.flush()).isEmpty();
    }

    @Test
    void brokenBytesBecomeReplacementsAndTheTextGoesOn() {
        assertThat(String.join("", deltas(new byte[] {(byte) 0xE3, 'a', (byte) 0x80, 'b'}))).isEqualTo("\uFFFDa\uFFFDb");
    }

    @Test
    void controlTokensGiveNoTextUnlessAsked() {
        assertThat(new TokenStreamDecoder(TOKENIZER).append(8191)).isEmpty();
        assertThat(new TokenStreamDecoder(TOKENIZER, true).append(8191)).isEqualTo("<|im_end|>");
    }

    @Test
    void anyBytesDecodeAsTheJdkDecodesThem() {
        long seed = Long.getLong("ringside.test.seed", 3L);
        Random random = new Random(seed);
        for (int round = 0; round < 2000; round++) {
            byte[] bytes = new byte[random.nextInt(12)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (random.nextBoolean() ? 0x80 + random.nextInt(0x40) : random.nextInt(0xF5));
                // no token of the vocabulary holds the first two; the JDK counts an encoded surrogate (ED) as one error, Unicode as three
                if (bytes[i] == (byte) 0xC0 || bytes[i] == (byte) 0xC1 || bytes[i] == (byte) 0xED) {
                    bytes[i] = (byte) 0xE2;
                }
            }
            assertThat(String.join("", deltas(bytes))).as("seed %d, round %d", seed, round)
                    .isEqualTo(new String(bytes, StandardCharsets.UTF_8));
        }
    }

    private static List<String> deltas(byte[] bytes) {
        TokenStreamDecoder decoder = new TokenStreamDecoder(TOKENIZER);
        List<String> deltas = new ArrayList<>();
        for (byte value : bytes) {
            deltas.add(decoder.append(byteToken(value & 0xFF)));
        }
        String tail = decoder.flush();
        if (!tail.isEmpty()) {
            deltas.add(tail);
        }
        return deltas;
    }

    private static int byteToken(int value) {
        for (int id = 0; id < TOKENIZER.vocabularySize(); id++) {
            if (TOKENIZER.tokenLength(id) == 1 && (TOKENIZER.tokenBytes(id)[0] & 0xFF) == value) {
                return id;
            }
        }
        throw new AssertionError("no token for byte " + value);
    }
}
