package dev.ringside.api;

import dev.ringside.sampling.grammar.Vocabulary;
import dev.ringside.tokenizer.Tokenizer;

/** A tokenizer as grammars see it. */
record ChatVocabulary(Tokenizer tokenizer) implements Vocabulary {

    @Override
    public int size() {
        return tokenizer.vocabularySize();
    }

    @Override
    public byte[] bytes(int token) {
        return tokenizer.tokenBytes(token);
    }

    @Override
    public boolean endsGeneration(int token) {
        return tokenizer.isEndOfGeneration(token);
    }

    @Override
    public boolean control(int token) {
        return tokenizer.isControl(token);
    }
}
