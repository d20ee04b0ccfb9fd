package dev.ringside.api;

import dev.ringside.engine.TokenLogprob;
import dev.ringside.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the probabilities of tokens in the shapes of OpenAI's two endpoints. */
final class AnswerLogprobs {

    // JSON has no infinity; OpenAI writes this for tokens that are next to impossible.
    private static final float LEAST = -9999;

    private final Tokenizer tokenizer;

    AnswerLogprobs(Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
    }

    /** {@code choices[].logprobs} of chat completions. */
    record Chat(List<Token> content, @Nullable List<Token> refusal) {}

    /** @param bytes the token's UTF-8, which need not be whole characters */
    record Token(String token, double logprob, List<Integer> bytes, List<Alternative> topLogprobs) {}

    record Alternative(String token, double logprob, List<Integer> bytes) {}

    /**
     * {@code choices[].logprobs} of text completions.
     *
     * @param textOffset where each token begins in the text, in UTF-16 units
     */
    record Text(List<String> tokens, List<Double> tokenLogprobs, List<Map<String, Double>> topLogprobs, List<Integer> textOffset) {}

    Chat chat(List<TokenLogprob> logprobs) {
        return new Chat(logprobs.stream().map(this::token).toList(), null);
    }

    /** @param offset where the text of the first token begins */
    Text text(List<TokenLogprob> logprobs, int offset) {
        List<String> tokens = new ArrayList<>(logprobs.size());
        List<Double> own = new ArrayList<>(logprobs.size());
        List<Map<String, Double>> top = new ArrayList<>(logprobs.size());
        List<Integer> offsets = new ArrayList<>(logprobs.size());
        int at = offset;
        for (TokenLogprob each : logprobs) {
            String piece = tokenizer.piece(each.token());
            tokens.add(piece);
            own.add(finite(each.logprob()));
            Map<String, Double> alternatives = new LinkedHashMap<>();
            for (int i = 0; i < each.topTokens().length; i++) {
                alternatives.putIfAbsent(tokenizer.piece(each.topTokens()[i]), finite(each.topLogprobs()[i]));
            }
            top.add(alternatives);
            offsets.add(at);
            at += piece.length();
        }
        return new Text(tokens, own, top, offsets);
    }

    private Token token(TokenLogprob logprob) {
        List<Alternative> alternatives = new ArrayList<>(logprob.topTokens().length);
        for (int i = 0; i < logprob.topTokens().length; i++) {
            int id = logprob.topTokens()[i];
            alternatives.add(new Alternative(tokenizer.piece(id), finite(logprob.topLogprobs()[i]), bytes(id)));
        }
        return new Token(tokenizer.piece(logprob.token()), finite(logprob.logprob()), bytes(logprob.token()), alternatives);
    }

    private List<Integer> bytes(int token) {
        byte[] bytes = tokenizer.tokenBytes(token);
        List<Integer> values = new ArrayList<>(bytes.length);
        for (byte each : bytes) {
            values.add(each & 0xFF);
        }
        return values;
    }

    private static double finite(float logprob) {
        return Math.max(LEAST, logprob);
    }
}
