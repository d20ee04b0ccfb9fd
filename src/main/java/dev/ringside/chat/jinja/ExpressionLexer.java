package dev.ringside.chat.jinja;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Cuts the inside of one tag into tokens. */
final class ExpressionLexer {

    private static final List<String> OPERATORS = List.of("**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "<", ">", "=",
            "(",
            ")", "[", "]", "{", "}", ".", ",", ":", "|");

    private final String source;
    private final String close;
    private final Deque<Character> open = new ArrayDeque<>();
    private int position;
    private int line;

    ExpressionLexer(String source, int position, int line, String close) {
        this.source = source;
        this.position = position;
        this.line = line;
        this.close = close;
    }

    /** Adds the tokens and returns where the closing bracket of the tag, with its sign, begins. */
    int run(List<Token> tokens) {
        int begin = line;
        while (position < source.length()) {
            char c = source.charAt(position);
            if (Character.isWhitespace(c)) {
                line += c == '\n' ? 1 : 0;
                position++;
            } else if (open.isEmpty() && closesHere()) {
                return position;
            } else if (c == '\'' || c == '"') {
                tokens.add(string(c));
            } else if (c >= '0' && c <= '9') {
                tokens.add(number());
            } else if (c == '_' || Character.isLetter(c)) {
                tokens.add(name());
            } else {
                tokens.add(operator());
            }
        }
        throw new JinjaException("template line " + begin + ": tag is never closed with '" + close + "'");
    }

    private boolean closesHere() {
        char c = source.charAt(position);
        return source.startsWith(close, position) || (c == '-' || c == '+') && source.startsWith(close, position + 1);
    }

    private Token string(char quote) {
        int end = position + 1;
        while (end < source.length() && source.charAt(end) != quote) {
            end += source.charAt(end) == '\\' ? 2 : 1;
        }
        if (end >= source.length()) {
            throw new JinjaException("template line " + line + ": string is never closed");
        }
        String raw = source.substring(position + 1, end);
        Token token = new Token(TokenKind.STRING, StringEscapes.resolve(raw), line);
        line += (int) raw.chars().filter(c -> c == '\n').count();
        position = end + 1;
        return token;
    }

    private Token number() {
        int start = position;
        boolean real = false;
        position = digits(position);
        if (position + 1 < source.length() && source.charAt(position) == '.' && isDigit(source.charAt(position + 1))) {
            real = true;
            position = digits(position + 1);
        }
        if (position < source.length() && (source.charAt(position) | 0x20) == 'e') {
            int exponent = position + 1;
            exponent += exponent < source.length() && (source.charAt(exponent) == '-' || source.charAt(exponent) == '+') ? 1 : 0;
            if (exponent < source.length() && isDigit(source.charAt(exponent))) {
                real = true;
                position = digits(exponent);
            }
        }
        return new Token(real ? TokenKind.REAL : TokenKind.INTEGER, source.substring(start, position).replace("_", ""), line);
    }

    private int digits(int from) {
        int end = from;
        while (end < source.length() && (isDigit(source.charAt(end)) || source.charAt(end) == '_')) {
            end++;
        }
        return end;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private Token name() {
        int start = position;
        while (position < source.length() && (source.charAt(position) == '_' || Character.isLetterOrDigit(source.charAt(position)))) {
            position++;
        }
        return new Token(TokenKind.NAME, source.substring(start, position), line);
    }

    private Token operator() {
        for (String operator : OPERATORS) {
            if (source.startsWith(operator, position)) {
                position += operator.length();
                balance(operator.charAt(0));
                return new Token(TokenKind.OPERATOR, operator, line);
            }
        }
        throw new JinjaException("template line " + line + ": unexpected character '" + source.charAt(position) + "'");
    }

    private void balance(char bracket) {
        switch (bracket) {
            case '(' -> open.push(')');
            case '[' -> open.push(']');
            case '{' -> open.push('}');
            case ')', ']', '}' -> {
                if (open.isEmpty() || open.pop() != bracket) {
                    throw new JinjaException("template line " + line + ": unexpected '" + bracket + "'");
                }
            }
            default -> {
            }
        }
    }
}
