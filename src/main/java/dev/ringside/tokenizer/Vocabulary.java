package dev.ringside.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/** The tokens of a model: bytes, kinds, and the way from bytes to an id. */
final class Vocabulary {

    /** How SentencePiece writes a space. In the bytes of tokens it is a space. */
    static final char SPACE_MARK = '\u2581';

    /** How {@code tokenizer.ggml.tokens} writes the bytes of a token. */
    enum Spelling {
        /** Ordinary tokens in the {@link ByteAlphabet}, special ones as they are. */
        BYTE_LEVEL,
        /** Text, with {@link #SPACE_MARK} for a space; byte tokens as {@code <0x0A>}. */
        PIECES
    }

    private final BytePool pool;
    private final TokenKind[] kinds;
    private final ByteStringIndex ordinary;
    private final ByteStringIndex special;
    private final int[] byteTokens = new int[256];
    private int longestOrdinary;
    private boolean spacesLead = true;

    /**
     * @param types a {@link TokenKind} code per token, or an empty array when all are ordinary
     */
    Vocabulary(List<String> tokens, int[] types, Spelling spelling) {
        int size = tokens.size();
        if (types.length != 0 && types.length != size) {
            throw new TokenizerException("tokenizer.ggml.token_type has " + types.length + " entries, tokenizer.ggml.tokens has " + size);
        }
        this.pool = new BytePool(size);
        this.kinds = new TokenKind[size];
        int specials = 0;
        for (int id = 0; id < size; id++) {
            kinds[id] = types.length == 0 ? kindBySpelling(tokens.get(id), spelling) : TokenKind.of(types[id], id);
            specials += kinds[id] == TokenKind.NORMAL ? 0 : 1;
        }
        this.ordinary = new ByteStringIndex(pool, size - specials);
        this.special = new ByteStringIndex(pool, specials);
        Arrays.fill(byteTokens, ByteStringIndex.ABSENT);
        for (int id = 0; id < size; id++) {
            if (spelling == Spelling.BYTE_LEVEL) {
                appendByteLevel(tokens.get(id), kinds[id]);
            } else {
                appendPiece(tokens.get(id), id);
            }
            pool.endString();
            index(id, spelling);
        }
        requireBytes(spelling);
    }

    private static TokenKind kindBySpelling(String token, Spelling spelling) {
        return spelling == Spelling.PIECES && ByteSpelling.parse(token) >= 0 ? TokenKind.BYTE : TokenKind.NORMAL;
    }

    private void index(int id, Spelling spelling) {
        if (kinds[id] == TokenKind.NORMAL) {
            ordinary.add(id);
            longestOrdinary = Math.max(longestOrdinary, pool.length(id));
        } else if (kinds[id] == TokenKind.BYTE && spelling == Spelling.PIECES) {
            int value = pool.get(id)[0] & 0xFF;
            byteTokens[value] = byteTokens[value] == ByteStringIndex.ABSENT ? id : byteTokens[value];
        } else {
            special.add(id);
        }
    }

    private void requireBytes(Spelling spelling) {
        for (int value = 0; value < 256; value++) {
            if (byteTokens[value] == ByteStringIndex.ABSENT) {
                byteTokens[value] = ordinary.find(new byte[] {(byte) value}, 0, 1);
            }
            if (byteTokens[value] == ByteStringIndex.ABSENT && occursInUtf8(value)) {
                throw new TokenizerException("tokenizer.ggml.tokens has no token for the byte 0x" + Integer.toHexString(value) + ": not a "
                        + (spelling == Spelling.BYTE_LEVEL
                                ? "byte-level vocabulary"
                                : "vocabulary with byte fallback, the only kind supported"));
            }
        }
    }

    private void appendByteLevel(String token, TokenKind kind) {
        if (kind == TokenKind.NORMAL) {
            for (int i = 0; i < token.length(); i++) {
                int value = ByteAlphabet.byteOf(token.charAt(i));
                if (value >= 0) {
                    pool.append(value);
                } else {
                    int codePoint = token.codePointAt(i);
                    pool.append(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
                    i += Character.charCount(codePoint) - 1;
                }
            }
        } else {
            pool.append(token.getBytes(StandardCharsets.UTF_8));
        }
    }

    private void appendPiece(String token, int id) {
        switch (kinds[id]) {
            case BYTE -> {
                int value = ByteSpelling.parse(token);
                if (value < 0) {
                    throw new TokenizerException(
                            "tokenizer.ggml.tokens[" + id + "] is '" + token + "' and of type byte, expected <0x00> to <0xFF>");
                }
                pool.append(value);
            }
            case NORMAL, USER_DEFINED -> {
                String text = token.replace(SPACE_MARK, ' ');
                pool.append(text.getBytes(StandardCharsets.UTF_8));
                spacesLead &= kinds[id] == TokenKind.USER_DEFINED || !hasSpaceAfterAnother(text);
            }
            default -> pool.append(token.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static boolean hasSpaceAfterAnother(String text) {
        for (int i = 1; i < text.length(); i++) {
            if (text.charAt(i) == ' ' && text.charAt(i - 1) != ' ') {
                return true;
            }
        }
        return false;
    }

    private static boolean occursInUtf8(int value) {
        return value != 0xC0 && value != 0xC1 && value < 0xF5;
    }

    int size() {
        return kinds.length;
    }

    TokenKind kind(int id) {
        return kinds[id];
    }

    byte[] bytes(int id) {
        return pool.get(id);
    }

    int length(int id) {
        return pool.length(id);
    }

    void copyBytes(int id, byte[] target, int offset) {
        pool.copy(id, target, offset);
    }

    /** Length in bytes of the longest ordinary token. */
    int longestOrdinary() {
        return longestOrdinary;
    }

    /** Whether no ordinary token has a space after another character. */
    boolean spacesLead() {
        return spacesLead;
    }

    /** The token of a single byte that occurs in UTF-8. */
    int byteToken(int value) {
        return byteTokens[value & 0xFF];
    }

    /** The ordinary token with these bytes, else {@link ByteStringIndex#ABSENT}. */
    int findOrdinary(byte[] bytes, int from, int to) {
        return ordinary.find(bytes, from, to);
    }

    /** The special token with this spelling, else the ordinary one with this text. */
    OptionalInt find(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int id = special.find(bytes, 0, bytes.length);
        if (id == ByteStringIndex.ABSENT) {
            id = ordinary.find(bytes, 0, bytes.length);
        }
        if (id == ByteStringIndex.ABSENT && bytes.length == 1) {
            id = byteTokens[bytes[0] & 0xFF];
        }
        return id == ByteStringIndex.ABSENT ? OptionalInt.empty() : OptionalInt.of(id);
    }

    /** Ids of all control and user-defined tokens. */
    List<Integer> specialIds() {
        List<Integer> ids = new ArrayList<>();
        for (int id = 0; id < kinds.length; id++) {
            if (kinds[id].isSpecial() && length(id) > 0) {
                ids.add(id);
            }
        }
        return ids;
    }
}
