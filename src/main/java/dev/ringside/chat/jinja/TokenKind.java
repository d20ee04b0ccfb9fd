package dev.ringside.chat.jinja;

/** Kinds of lexical tokens of a template. */
enum TokenKind {
    DATA, OUTPUT_BEGIN, OUTPUT_END, BLOCK_BEGIN, BLOCK_END, NAME, STRING, INTEGER, REAL, OPERATOR, END
}
