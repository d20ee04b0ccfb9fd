package dev.ringside.sampling.grammar;

import static dev.ringside.sampling.grammar.SchemaMaker.map;

import dev.ringside.sampling.TokenConstraint;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** CPU time of masks with a made-up vocabulary of 150,000 tokens: {@code main}, no arguments. The figures are in {@code docs/performance.md}. */
final class GrammarBenchmark {

    private static final int TOKENS = 150_000;
    private static final int ROUNDS = 15;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private GrammarBenchmark() {}

    public static void main(String[] args) {
        List<byte[]> texts = vocabulary(new Random(1));
        Vocabulary vocabulary = new ToyVocabulary(texts, texts.size() - 1);
        time("vocabulary", () -> Constraints.over(vocabulary));
        Constraints constraints = Constraints.over(vocabulary);
        Map<String, Object> person = map("type", "object", "properties",
                map("name", map("type", "string"), "age", map("type", "integer", "minimum", 0, "maximum", 150), "city",
                        map("type", "string", "maxLength", 64),
                        "tags", map("type", "array", "items", map("enum", List.of("red", "green", "blue"))), "code",
                        map("type", "string", "pattern", "^[A-Z]{2}-[0-9a-z]+$")),
                "required", List.of("name", "age", "city", "tags", "code"), "additionalProperties", false);
        time("schema and grammar", () -> constraints.compile(JsonSchemas.compile(person)));
        at(constraints, person, "start", "");
        at(constraints, person, "in an unbounded string", "{\"name\": \"Ada");
        at(constraints, person, "in a number", "{\"name\": \"Ada\", \"age\": 1");
        at(constraints, person, "in a string of 64", "{\"name\": \"Ada\", \"age\": 1, \"city\": \"Lon");
        at(constraints, person, "in a list of constants", "{\"name\": \"Ada\", \"age\": 1, \"city\": \"L\", \"tags\": [\"r");
        at(constraints, person, "in a pattern's class", "{\"name\": \"Ada\", \"age\": 1, \"city\": \"L\", \"tags\": [], \"code\": \"AB-0");
        Map<String, Object> open = map("type", "object", "properties", map("name", map("type", "string")), "additionalProperties", true);
        at(constraints, open, "in another key", "{\"na");
        walk(constraints, person);
    }

    private static void at(Constraints constraints, Map<String, ?> schema, String what, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        double[] first = new double[ROUNDS];
        double[] again = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            TokenConstraint constraint = constraints.of(JsonSchemas.compile(schema));
            for (byte b : bytes) {
                constraint.accept(b & 0xFF);
            }
            long start = THREADS.getCurrentThreadCpuTime();
            constraint.allowed();
            long between = THREADS.getCurrentThreadCpuTime();
            for (int k = 0; k < 1_000; k++) {
                constraint.allowed();
            }
            first[i] = (between - start) / 1e3;
            again[i] = (THREADS.getCurrentThreadCpuTime() - between) / 1e6;
        }
        System.out.printf("%-28s first mask %8.1f us, again %6.3f us%n", what, median(first), median(again));
    }

    /** Masks along a document of one-byte tokens, all states of the grammar warm from a document before. */
    private static void walk(Constraints constraints, Map<String, ?> schema) {
        CompiledGrammar grammar = constraints.compile(JsonSchemas.compile(schema));
        double[] perToken = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            byte[] bytes = ("{\"name\": \"Ada " + i
                    + "\", \"age\": 36, \"city\": \"London\", \"tags\": [\"red\", \"blue\"], \"code\": \"AB-12\"}")
                    .getBytes(StandardCharsets.UTF_8);
            TokenConstraint constraint = grammar.newConstraint();
            long start = THREADS.getCurrentThreadCpuTime();
            for (byte b : bytes) {
                constraint.allowed();
                constraint.accept(b & 0xFF);
            }
            perToken[i] = (THREADS.getCurrentThreadCpuTime() - start) / 1e3 / bytes.length;
        }
        System.out.printf("%-28s %8.1f us a token at first, %8.3f us at last%n", "documents one after another", perToken[0],
                perToken[ROUNDS - 1]);
    }

    private static void time(String what, Runnable work) {
        double[] times = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long start = THREADS.getCurrentThreadCpuTime();
            work.run();
            times[i] = (THREADS.getCurrentThreadCpuTime() - start) / 1e6;
        }
        System.out.printf("%-28s %8.2f ms%n", what, median(times));
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Bytes, words with and without a space in front, numbers of up to three digits, runs of spaces, punctuation, and other scripts. */
    private static List<byte[]> vocabulary(Random random) {
        List<byte[]> texts = new ArrayList<>();
        for (int b = 0; b < 256; b++) {
            texts.add(new byte[] {(byte) b});
        }
        Set<String> pieces = new LinkedHashSet<>();
        for (int i = 0; i < 1_000; i++) {
            pieces.add(Integer.toString(i));
        }
        for (int i = 2; i < 120; i++) {
            pieces.add(" ".repeat(i));
            pieces.add("\n" + " ".repeat(i));
        }
        String marks = "{}[]\",:;.()<>=/\\'_-+*!?#$%& \n";
        while (pieces.size() < 8_000) {
            pieces.add(draw(random, marks, 2 + random.nextInt(4)));
        }
        while (pieces.size() < TOKENS - texts.size() - 1) {
            int kind = random.nextInt(10);
            String word = kind < 8
                    ? draw(random, "eeettaaoinshrdlcumwfgypbvk", 2 + random.nextInt(9))
                    : kind == 8 ? draw(random, "аеионтсрвлкмдпуяы", 2 + random.nextInt(6)) : randomIdeographs(random);
            pieces.add((kind % 2 == 0 ? " " : "") + (kind == 3 ? Character.toUpperCase(word.charAt(0)) + word.substring(1) : word));
        }
        pieces.forEach(piece -> texts.add(piece.getBytes(StandardCharsets.UTF_8)));
        texts.add("<|end|>".getBytes(StandardCharsets.UTF_8));
        return texts;
    }

    private static String draw(Random random, String alphabet, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private static String randomIdeographs(Random random) {
        StringBuilder text = new StringBuilder();
        int length = 1 + random.nextInt(3);
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(0x4E00 + random.nextInt(6_000));
        }
        return text.toString();
    }
}
