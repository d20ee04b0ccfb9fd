package dev.ringside.chat.jinja;

/**
 * A lexical token.
 *
 * @param text data, name, operator, digits, or the characters of a string literal with escapes resolved
 * @param line line of the template, from 1
 */
record Token(TokenKind kind, String text, int line) {

    boolean is(TokenKind wanted, String wantedText) {
        return kind == wanted && text.equals(wantedText);
    }

    boolean isOperator(String operator) {
        return is(TokenKind.OPERATOR, operator);
    }

    boolean isName(String name) {
        return is(TokenKind.NAME, name);
    }

    /** How the token looks in an error message. */
    String describe() {
        return switch (kind) {
            case END -> "end of template";
            case OUTPUT_END -> "'}}'";
            case BLOCK_END -> "'%}'";
            case DATA -> "text";
            default -> "'" + text + "'";
        };
    }
}
