package dev.ringside.sampling;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the next token of one request, in this order: logit bias; repetition, presence and frequency penalty over the request's own
 * history; the request's {@link TokenConstraint}, which drops what it does not allow; then either the most likely token (temperature 0, ties to the lowest id) or a draw. For a draw, top-k, top-p and min-p filter by
 * the probabilities at temperature 1, one after the other, and the softmax at the request's temperature over what is left is drawn from
 * with {@link RandomStream}. The same seed, parameters and logits give the same tokens. Nothing is allocated per token.
 *
 * <p>Not thread safe; samplers that share a workspace belong to one thread.
 */
public final class Sampler {

    /** Candidates the nucleus is looked for in first; few real distributions need more. */
    private static final int FIRST_NUCLEUS = 128;

    private final SamplingParameters parameters;
    private final SamplerWorkspace workspace;
    private final @Nullable TokenConstraint constraint;
    private final RandomStream random;
    private final TokenHistory history = new TokenHistory();
    private final int[] biasedTokens;
    private final float[] biases;
    private final boolean penalizes;
    private final boolean changesLogits;
    private final float minPLogit;

    /** A sampler with a workspace of its own. */
    public Sampler(SamplingParameters parameters, int vocabulary) {
        this(parameters, new SamplerWorkspace(vocabulary));
    }

    /**
     * A sampler that shares its workspace with others of the same thread.
     *
     * @throws InvalidSamplingException when {@code logit_bias} names an id outside the vocabulary
     */
    public Sampler(SamplingParameters parameters, SamplerWorkspace workspace) {
        this(parameters, workspace, null);
    }

    /**
     * As above, for tokens that a constraint allows.
     *
     * @param constraint follows the accepted tokens from here on, or null
     */
    public Sampler(SamplingParameters parameters, SamplerWorkspace workspace, @Nullable TokenConstraint constraint) {
        requireBiasWithin(parameters, workspace.vocabulary());
        this.constraint = constraint;
        this.parameters = parameters;
        this.workspace = workspace;
        this.random = new RandomStream(parameters.seed());
        this.biasedTokens = new int[parameters.logitBias().size()];
        this.biases = new float[biasedTokens.length];
        int i = 0;
        for (Map.Entry<Integer, Float> bias : parameters.logitBias().entrySet()) {
            biasedTokens[i] = bias.getKey();
            biases[i++] = bias.getValue();
        }
        this.penalizes = parameters.repetitionPenalty() != 1 || parameters.presencePenalty() != 0 || parameters.frequencyPenalty() != 0;
        this.changesLogits = penalizes || biasedTokens.length > 0;
        this.minPLogit = parameters.minP() > 0 ? (float) Math.log(parameters.minP()) : Float.NEGATIVE_INFINITY;
    }

    /**
     * Checks what the parameters alone can't tell.
     *
     * @throws InvalidSamplingException when {@code logit_bias} names an id outside the vocabulary
     */
    public static void requireBiasWithin(SamplingParameters parameters, int vocabulary) {
        for (int token : parameters.logitBias().keySet()) {
            if (token < 0 || token >= vocabulary) {
                throw new InvalidSamplingException("logit_bias",
                        "logit_bias names token " + token + ", but the vocabulary has ids 0 to " + (vocabulary - 1));
            }
        }
    }

    /** Tells the sampler of the prompt, which the repetition penalty covers. */
    public void prompt(int[] tokens) {
        if (parameters.repetitionPenalty() != 1) {
            for (int token : tokens) {
                history.addPrompt(token);
            }
        }
    }

    /** Tells the sampler which token was generated. */
    public void accept(int token) {
        if (constraint != null) {
            constraint.accept(token);
        }
        if (penalizes) {
            history.addGenerated(token);
        }
    }

    /** What restricts the tokens, or null. */
    public @Nullable TokenConstraint constraint() {
        return constraint;
    }

    /** The generator, whose state goes with the request when it is suspended. */
    public RandomStream random() {
        return random;
    }

    /**
     * Chooses a token; {@link #accept} it to make it part of the history.
     *
     * @param logits F32 in native order, {@code [vocabulary]} from {@code offsetBytes}; not changed
     * @param vocabulary at most the workspace's
     * @throws InvalidLogitsException when a logit is NaN or positive infinity, or all are negative infinity
     */
    public int sample(MemorySegment logits, long offsetBytes, int vocabulary) {
        boolean restricted = constraint != null && constraint.restricts();
        if (parameters.temperature() == 0 && !changesLogits && !restricted) {
            return largest(logits, offsetBytes, vocabulary);
        }
        float[] row = adjusted(logits, offsetBytes, vocabulary, restricted);
        float max = checked(LogitScan.max(row, vocabulary));
        if (parameters.temperature() == 0) {
            return LogitScan.firstIndexOf(max, row, vocabulary);
        }
        boolean topK = parameters.topK() > 0 && parameters.topK() < vocabulary;
        if (topK || parameters.topP() < 1) {
            filter(row, vocabulary, max, topK);
            return drawCandidate(max);
        }
        return drawAny(row, vocabulary, max);
    }

    /**
     * The token that {@link #sample} takes with the greatest probability; nothing is drawn. For guesses of what will be sampled.
     *
     * @throws InvalidLogitsException as {@link #sample} does
     */
    public int mostLikely(MemorySegment logits, long offsetBytes, int vocabulary) {
        boolean restricted = constraint != null && constraint.restricts();
        if (!changesLogits && !restricted) {
            return largest(logits, offsetBytes, vocabulary);
        }
        float[] row = adjusted(logits, offsetBytes, vocabulary, restricted);
        return LogitScan.firstIndexOf(checked(LogitScan.max(row, vocabulary)), row, vocabulary);
    }

    private int largest(MemorySegment logits, long offsetBytes, int vocabulary) {
        workspace.requireRow(vocabulary);
        float max = checked(LogitScan.max(logits, offsetBytes, vocabulary));
        return LogitScan.firstIndexOf(max, logits, offsetBytes, vocabulary);
    }

    /** The logits behind bias, penalties and constraint, in the workspace. */
    private float[] adjusted(MemorySegment logits, long offsetBytes, int vocabulary, boolean restricted) {
        float[] row = workspace.copy(logits, offsetBytes, vocabulary);
        for (int i = 0; i < biasedTokens.length; i++) {
            row[biasedTokens[i]] += biases[i];
        }
        if (penalizes) {
            history.penalize(row, parameters.repetitionPenalty(), parameters.presencePenalty(), parameters.frequencyPenalty());
        }
        if (restricted && constraint != null) {
            leaveOnly(constraint.allowed(), row, vocabulary);
        }
        return row;
    }

    private static void leaveOnly(long[] allowed, float[] row, int vocabulary) {
        for (int from = 0, word = 0; from < vocabulary; from += Long.SIZE, word++) {
            long bits = word < allowed.length ? allowed[word] : 0;
            int to = Math.min(from + Long.SIZE, vocabulary);
            if (bits == 0) {
                Arrays.fill(row, from, to, Float.NEGATIVE_INFINITY);
            } else if (bits != -1) {
                for (int token = from; token < to; token++, bits >>>= 1) {
                    if ((bits & 1) == 0) {
                        row[token] = Float.NEGATIVE_INFINITY;
                    }
                }
            }
        }
    }

    private static float checked(float max) {
        if (Float.isNaN(max) || max == Float.POSITIVE_INFINITY) {
            throw new InvalidLogitsException("The model computed " + max + " as a logit; the weights or the device are faulty");
        }
        if (max == Float.NEGATIVE_INFINITY) {
            throw new InvalidLogitsException("Every token has the logit -Infinity, so none can be chosen");
        }
        return max;
    }

    private void filter(float[] row, int vocabulary, float max, boolean topK) {
        Candidates candidates = workspace.candidates;
        if (topK) {
            candidates.select(row, vocabulary, parameters.topK());
            if (parameters.topP() < 1) {
                double total = 0;
                for (int rank = 0; rank < candidates.size(); rank++) {
                    total += Math.exp(candidates.logit(rank) - max);
                }
                candidates.truncate(nucleus(total, max));
            }
        } else {
            double total = LogitScan.weights(row, max, 1, Float.NEGATIVE_INFINITY, workspace.weights, workspace.blockSums, workspace.lanes);
            int k = Math.min(FIRST_NUCLEUS, vocabulary);
            candidates.select(row, vocabulary, k);
            int size = nucleus(total, max);
            while (size > k && k < vocabulary) {
                k = (int) Math.min(8L * k, vocabulary);
                candidates.select(row, vocabulary, k);
                size = nucleus(total, max);
            }
            candidates.truncate(size);
        }
        float floor = max + minPLogit;
        int kept = candidates.size();
        while (kept > 1 && candidates.logit(kept - 1) < floor) {
            kept--;
        }
        candidates.truncate(kept);
    }

    /** How many of the candidates it takes to reach top-p of {@code total}; one more than there are when all of them do not. */
    private int nucleus(double total, float max) {
        Candidates candidates = workspace.candidates;
        double wanted = parameters.topP() * total;
        double mass = 0;
        for (int rank = 0; rank < candidates.size(); rank++) {
            mass += Math.exp(candidates.logit(rank) - max);
            if (mass >= wanted) {
                return rank + 1;
            }
        }
        return candidates.size() + 1;
    }

    private int drawCandidate(float max) {
        Candidates candidates = workspace.candidates;
        double total = 0;
        for (int rank = 0; rank < candidates.size(); rank++) {
            total += weight(candidates.logit(rank), max);
        }
        double remaining = random.nextDouble() * total;
        int chosen = 0;
        for (int rank = 0; rank < candidates.size(); rank++) {
            double weight = weight(candidates.logit(rank), max);
            if (weight > 0) {
                chosen = rank;
                remaining -= weight;
                if (remaining < 0) {
                    break;
                }
            }
        }
        return candidates.id(chosen);
    }

    private double weight(float logit, float max) {
        return Math.exp((double) (logit - max) / parameters.temperature());
    }

    private int drawAny(float[] row, int vocabulary, float max) {
        float[] weights = workspace.weights;
        double[] blockSums = workspace.blockSums;
        double total = LogitScan.weights(row, max, parameters.temperature(), max + minPLogit, weights, blockSums, workspace.lanes);
        double remaining = random.nextDouble() * total;
        int block = 0;
        while (block < blockSums.length - 1 && remaining >= blockSums[block]) {
            remaining -= blockSums[block++];
        }
        int chosen = -1;
        for (int token = block * LogitScan.BLOCK; token < vocabulary; token++) {
            if (weights[token] > 0) {
                chosen = token;
                remaining -= weights[token];
                if (remaining < 0) {
                    break;
                }
            }
        }
        // Rounding may leave a rest behind the last block, which may hold no weight: the most likely token then stands for it.
        return chosen >= 0 ? chosen : LogitScan.firstIndexOf(max, row, vocabulary);
    }
}
