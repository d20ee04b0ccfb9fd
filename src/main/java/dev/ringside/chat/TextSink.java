package dev.ringside.chat;

/** Takes text character by character. */
interface TextSink {

    void accept(char c);

    void end();
}
