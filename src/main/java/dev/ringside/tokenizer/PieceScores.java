package dev.ringside.tokenizer;

/** {@code tokenizer.ggml.scores} as an order: the piece with the higher score is merged first. */
final class PieceScores {

    private final int[] order;

    /** @param scores one per token */
    PieceScores(float[] scores, Vocabulary vocabulary) {
        if (scores.length != vocabulary.size()) {
            throw new TokenizerException(
                    "tokenizer.ggml.scores has " + scores.length + " entries, tokenizer.ggml.tokens has " + vocabulary.size());
        }
        order = new int[scores.length];
        for (int id = 0; id < order.length; id++) {
            if (Float.isNaN(scores[id])) {
                throw new TokenizerException("tokenizer.ggml.scores[" + id + "] is NaN, expected a number");
            }
            int bits = Float.floatToIntBits(scores[id] + 0.0f); // adding zero makes -0 and 0 equal
            order[id] = ~(bits ^ bits >> 31 & Integer.MAX_VALUE);
        }
    }

    /** Smaller for a higher score, equal for equal ones. */
    int order(int id) {
        return order[id];
    }
}
