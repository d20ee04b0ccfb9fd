package dev.ringside.sampling.grammar;

import dev.ringside.sampling.TokenConstraint;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Puts texts to grammars, and lets grammars make texts. */
final class Texts {

    private static final ToyVocabulary BYTES = ToyVocabulary.bytesAnd(List.of(), List.of());

    private Texts() {}

    /** Whether a text fits a grammar as a whole, byte by byte. */
    static boolean fits(Grammar grammar, String text) {
        return fits(Constraints.over(BYTES).compile(grammar), text);
    }

    static boolean fits(CompiledGrammar grammar, String text) {
        TokenConstraint constraint = grammar.newConstraint();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (!constraint.allows(b & 0xFF)) {
                return false;
            }
            constraint.accept(b & 0xFF);
        }
        return constraint.allows(BYTES.end());
    }

    static CompiledGrammar overBytes(Grammar grammar) {
        return Constraints.over(BYTES).compile(grammar);
    }

    static List<Integer> tokens(long[] mask) {
        List<Integer> tokens = new ArrayList<>();
        for (int t = 0; t < 64 * mask.length; t++) {
            if ((mask[t >> 6] >> t & 1) != 0) {
                tokens.add(t);
            }
        }
        return tokens;
    }

    /**
     * A text made of tokens drawn from the masks, with the end drawn as soon as it is allowed after {@code patience} tokens. From then on tokens that
     * close something are preferred.
     */
    static String generate(TokenConstraint constraint, Vocabulary vocabulary, Random random, int patience) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        for (int step = 0; step < 40 * patience + 4_000; step++) {
            List<Integer> allowed = tokens(constraint.allowed());
            int token = allowed.get(random.nextInt(allowed.size()));
            if (step >= patience) {
                token = shortest(allowed, vocabulary, random);
            } else if (random.nextInt(3) == 0) {
                token = structural(allowed, vocabulary, random);
            }
            constraint.accept(token);
            if (vocabulary.endsGeneration(token)) {
                return text.toString(StandardCharsets.UTF_8);
            }
            text.writeBytes(vocabulary.bytes(token));
        }
        throw new AssertionError("no end in sight of " + text.toString(StandardCharsets.UTF_8));
    }

    private static int structural(List<Integer> allowed, Vocabulary vocabulary, Random random) {
        for (int i = 0; i < 30; i++) {
            int token = allowed.get(random.nextInt(allowed.size()));
            byte[] bytes = vocabulary.bytes(token);
            if (bytes.length > 0 && "\"}],:".indexOf(bytes[bytes.length - 1]) >= 0) {
                return token;
            }
        }
        return allowed.get(random.nextInt(allowed.size()));
    }

    /** The end where it is allowed, else one of the allowed tokens that close something, else any. */
    private static int shortest(List<Integer> allowed, Vocabulary vocabulary, Random random) {
        List<Integer> closing = new ArrayList<>();
        for (int token : allowed) {
            if (vocabulary.endsGeneration(token)) {
                return token;
            }
            byte[] bytes = vocabulary.bytes(token);
            if (bytes.length == 1 && "\"}]0".indexOf(bytes[0]) >= 0) {
                closing.add(token);
            }
        }
        return closing.isEmpty() || random.nextInt(3) == 0
                ? allowed.get(random.nextInt(allowed.size()))
                : closing.get(random.nextInt(closing.size()));
    }
}
