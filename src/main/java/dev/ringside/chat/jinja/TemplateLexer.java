package dev.ringside.chat.jinja;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a template into data, tags and their tokens. White space around tags follows the settings that model publishers rely on: the line
 * end after a block tag goes (trim_blocks), so does the indentation before one that begins its line (lstrip_blocks), {@code -} removes all
 * white space on its side, {@code +} none, and a single line end at the end of the template goes.
 */
final class TemplateLexer {

    private final String source;
    private final List<Token> tokens = new ArrayList<>();
    private int position;
    private int line = 1;

    private TemplateLexer(String source) {
        this.source = source;
    }

    static List<Token> tokens(String template) {
        String source = template.replace("\r\n", "\n").replace('\r', '\n');
        if (source.endsWith("\n")) {
            source = source.substring(0, source.length() - 1);
        }
        return new TemplateLexer(source).run();
    }

    private List<Token> run() {
        while (position < source.length()) {
            int tag = nextTag(position);
            if (tag < 0) {
                data(source.substring(position));
                advance(source.length());
                break;
            }
            data(leftOf(tag));
            advance(tag);
            tag(source.charAt(tag + 1));
        }
        tokens.add(new Token(TokenKind.END, "", line));
        return tokens;
    }

    private int nextTag(int from) {
        for (int brace = source.indexOf('{', from); brace >= 0 && brace + 1 < source.length(); brace = source.indexOf('{', brace + 1)) {
            char second = source.charAt(brace + 1);
            if (second == '{' || second == '%' || second == '#') {
                return brace;
            }
        }
        return -1;
    }

    /** The data before a tag, without what the tag takes away. */
    private String leftOf(int tag) {
        String text = source.substring(position, tag);
        char sign = sign(tag + 2);
        if (sign == '-') {
            return text.stripTrailing();
        }
        if (sign == '+' || source.charAt(tag + 1) == '{') {
            return text;
        }
        int lineStart = text.lastIndexOf('\n') + 1;
        boolean beginsLine = lineStart > 0 || position == 0 || source.charAt(position - 1) == '\n';
        return beginsLine && text.substring(lineStart).isBlank() ? text.substring(0, lineStart) : text;
    }

    private char sign(int index) {
        char sign = index < source.length() ? source.charAt(index) : ' ';
        return sign == '-' || sign == '+' ? sign : ' ';
    }

    private void data(String text) {
        if (!text.isEmpty()) {
            tokens.add(new Token(TokenKind.DATA, text, line));
        }
    }

    private void tag(char kind) {
        int begin = line;
        int inside = position + (sign(position + 2) == ' ' ? 2 : 3);
        switch (kind) {
            case '#' -> {
                int end = source.indexOf("#}", inside);
                if (end < 0) {
                    throw new JinjaException("template line " + begin + ": comment is never closed");
                }
                advance(end + 2);
                closeTag(source.charAt(end - 1), true);
            }
            case '%' -> {
                if (!raw(inside)) {
                    expression(inside, TokenKind.BLOCK_BEGIN, TokenKind.BLOCK_END, "%}");
                }
            }
            default -> expression(inside, TokenKind.OUTPUT_BEGIN, TokenKind.OUTPUT_END, "}}");
        }
    }

    private void expression(int inside, TokenKind begin, TokenKind end, String close) {
        tokens.add(new Token(begin, "", line));
        advance(inside);
        ExpressionLexer lexer = new ExpressionLexer(source, position, line, close);
        int closing = lexer.run(tokens);
        advance(closing);
        char sign = sign(position);
        tokens.add(new Token(end, "", line));
        advance(position + (sign == ' ' ? 2 : 3));
        closeTag(sign, end == TokenKind.BLOCK_END);
    }

    /** Skips what the end of a tag takes away on its right. */
    private void closeTag(char sign, boolean block) {
        if (sign == '-') {
            int end = position;
            while (end < source.length() && Character.isWhitespace(source.charAt(end))) {
                end++;
            }
            advance(end);
        } else if (block && sign != '+' && position < source.length() && source.charAt(position) == '\n') {
            advance(position + 1);
        }
    }

    /** {@code {% raw %}} to {@code {% endraw %}}: everything between is data. */
    private boolean raw(int inside) {
        int afterName = keywordTagEnd(inside, "raw");
        if (afterName < 0) {
            return false;
        }
        char openSign = source.charAt(afterName - 3);
        advance(afterName);
        closeTag(openSign == '-' ? '-' : '+', true);
        for (int tag = source.indexOf("{%", position); tag >= 0; tag = source.indexOf("{%", tag + 2)) {
            int end = keywordTagEnd(tag + (sign(tag + 2) == ' ' ? 2 : 3), "endraw");
            if (end >= 0) {
                data(leftOf(tag));
                advance(end);
                closeTag(source.charAt(end - 3), true);
                return true;
            }
        }
        throw new JinjaException("template line " + line + ": raw block is never closed");
    }

    /** Position after a tag that consists of this keyword only, or -1. */
    private int keywordTagEnd(int inside, String keyword) {
        int at = skipSpace(inside);
        if (!source.startsWith(keyword, at)) {
            return -1;
        }
        at = skipSpace(at + keyword.length());
        at += sign(at) == ' ' ? 0 : 1;
        return source.startsWith("%}", at) ? at + 2 : -1;
    }

    private int skipSpace(int from) {
        int at = from;
        while (at < source.length() && Character.isWhitespace(source.charAt(at))) {
            at++;
        }
        return at;
    }

    private void advance(int to) {
        for (int i = position; i < to; i++) {
            if (source.charAt(i) == '\n') {
                line++;
            }
        }
        position = to;
    }
}
