package dev.ringside.chat.jinja;

import java.util.List;

/** The tokens of a template with a reading position, and the depth of what is being parsed. */
final class TokenStream {

    private final List<Token> tokens;
    private final int nesting;
    private int position;
    private int depth;

    TokenStream(List<Token> tokens, int nesting) {
        this.tokens = tokens;
        this.nesting = nesting;
    }

    Token peek() {
        return tokens.get(position);
    }

    Token peekAfter() {
        return tokens.get(Math.min(position + 1, tokens.size() - 1));
    }

    Token next() {
        Token token = tokens.get(position);
        if (position < tokens.size() - 1) {
            position++;
        }
        return token;
    }

    boolean skipOperator(String operator) {
        return skipIf(peek().isOperator(operator));
    }

    boolean skipName(String name) {
        return skipIf(peek().isName(name));
    }

    private boolean skipIf(boolean condition) {
        if (condition) {
            next();
        }
        return condition;
    }

    Token expect(TokenKind kind, String what) {
        if (peek().kind() != kind) {
            throw unexpected(what);
        }
        return next();
    }

    void expectOperator(String operator) {
        if (!skipOperator(operator)) {
            throw unexpected("'" + operator + "'");
        }
    }

    void expectName(String name) {
        if (!skipName(name)) {
            throw unexpected("'" + name + "'");
        }
    }

    JinjaException unexpected(String expected) {
        return new JinjaException("expected " + expected + ", found " + peek().describe()).atLine(peek().line());
    }

    void enter() {
        if (++depth > nesting) {
            throw new JinjaException("nested deeper than " + nesting + " levels").atLine(peek().line());
        }
    }

    void leave() {
        depth--;
    }
}
