package dev.ringside.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.expert.ArenaKind;
import dev.ringside.gpu.KvType;
import dev.ringside.sequence.LogitsMode;
import dev.ringside.sequence.SequenceState;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A row's logits are the same bits whatever the circumstances in which it is computed. */
class BitLawTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 20_261_130L);
    private static final int[] PROMPT = tokens(150, SEED);

    @ParameterizedTest
    @EnumSource(KvType.class)
    void howAPromptIsCutIntoStepsDoesNotMatter(KvType kvType) {
        try (ModelHarness harness = tiny(2, kvType)) {
            List<float[]> whole = harness.run(PROMPT, 150);
            for (int chunk : new int[] {1, 3, 64, 65, 149}) {
                assertSameBits(harness.run(PROMPT, chunk), whole, "chunks of " + chunk);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void theNumberOfThreadsDoesNotMatter(int threads) {
        List<float[]> expected;
        try (ModelHarness harness = tiny(2, KvType.F16)) {
            expected = harness.run(PROMPT, 50);
        }
        try (ModelHarness harness = tiny(threads, KvType.F16)) {
            assertSameBits(harness.run(PROMPT, 50), expected, threads + " threads");
        }
    }

    @Test
    void batchMatesDoNotMatter() {
        try (ModelHarness harness = tiny(2, KvType.F16)) {
            List<int[]> prompts = new ArrayList<>();
            List<List<float[]>> alone = new ArrayList<>();
            List<List<float[]>> together = new ArrayList<>();
            List<SequenceState> sequences = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                prompts.add(tokens(40 + 17 * i, SEED + i));
                alone.add(harness.run(prompts.get(i), 150));
                together.add(new ArrayList<>());
                sequences.add(harness.sequence());
            }
            Random random = new Random(SEED);
            int[] done = new int[5];
            while (feedSome(harness, prompts, sequences, done, together, random)) {
                // until all prompts are through
            }
            for (int i = 0; i < 5; i++) {
                assertSameBits(together.get(i), alone.get(i), "seed " + SEED + ", sequence " + i);
                sequences.get(i).close();
            }
        }
    }

    @Test
    void rejectedRowsAndAbandonedStepsLeaveNoTrace() {
        Random random = new Random(SEED);
        try (ModelHarness harness = tiny(2, KvType.F16); SequenceState sequence = harness.sequence()) {
            List<float[]> expected = harness.run(PROMPT, 150);
            List<float[]> found = new ArrayList<>();
            while (found.size() < PROMPT.length) {
                int position = found.size();
                int rows = 1 + random.nextInt(Math.min(4, PROMPT.length - position));
                int accepted = 1 + random.nextInt(rows);
                int[] drafts = tokens(rows, random.nextLong());
                System.arraycopy(PROMPT, position, drafts, 0, accepted);
                harness.step().clear();
                sequence.prepare(harness.step(), drafts, 0, rows, true, LogitsMode.ALL);
                List<float[]> logits = harness.forward();
                if (random.nextInt(4) == 0) {
                    sequence.rollback();
                } else {
                    sequence.commit(accepted);
                    found.addAll(logits.subList(0, accepted));
                }
            }
            assertSameBits(found, expected, "seed " + SEED);

            sequence.reset();
            assertSameBits(harness.feed(sequence, PROMPT, 150), expected, "after a reset");
        }
    }

    @ParameterizedTest
    @CsvSource({"8,PINNED", "8,DEVICE", "25%,PINNED", "25%,DEVICE", "100%,DEVICE"})
    void arenaSizeAndKindDoNotMatter(String capacity, ArenaKind kind) {
        int[] prompt = Reference.ints(Reference.json(Reference.resource("demo/reference.json.gz")).get("cases").get(3).get("tokens"));
        int[] shortPrompt = java.util.Arrays.copyOf(prompt, 200);
        List<float[]> expected;
        try (ModelHarness harness = new ModelHarness(Reference.demoModel(), 128, 2, KvType.F16, Experts.allResident())) {
            expected = harness.run(shortPrompt, 128);
        }
        String size = capacity.endsWith("%") ? capacity : demoSlots(Integer.parseInt(capacity));
        try (ModelHarness harness = new ModelHarness(Reference.demoModel(), 128, 2, KvType.F16, Experts.sized(size, kind))) {
            assertSameBits(harness.run(shortPrompt, 128), expected, capacity + " " + kind);
        }
    }

    /** As bytes: a slot of the demo model holds gate and up in Q4_K and down in Q5_1. */
    private static String demoSlots(int slots) {
        return String.valueOf(slots * (2L * 128 * 144 + 256L * 4 * 24));
    }

    private static boolean feedSome(ModelHarness harness, List<int[]> prompts, List<SequenceState> sequences, int[] done,
            List<List<float[]>> logits, Random random) {
        harness.step().clear();
        int[] counts = new int[done.length];
        for (int i = 0; i < done.length; i++) {
            int left = prompts.get(i).length - done[i];
            counts[i] = Math.min(left, random.nextInt(30));
            if (counts[i] > 0) {
                sequences.get(i).prepare(harness.step(), prompts.get(i), done[i], counts[i], false, LogitsMode.ALL);
            }
        }
        if (harness.step().rows() > 0) {
            List<float[]> rows = harness.forward();
            int next = 0;
            for (int i = 0; i < done.length; i++) {
                if (counts[i] > 0) {
                    logits.get(i).addAll(rows.subList(next, next + counts[i]));
                    next += counts[i];
                    sequences.get(i).commit(counts[i]);
                    done[i] += counts[i];
                }
            }
        }
        for (int i = 0; i < done.length; i++) {
            if (done[i] < prompts.get(i).length) {
                return true;
            }
        }
        return false;
    }

    private static void assertSameBits(List<float[]> found, List<float[]> expected, String circumstances) {
        assertThat(found).as(circumstances).hasSize(expected.size());
        for (int i = 0; i < expected.size(); i++) {
            assertThat(found.get(i)).as(circumstances + ", position " + i).containsExactly(expected.get(i));
        }
    }

    private static ModelHarness tiny(int threads, KvType kvType) {
        return new ModelHarness(Reference.resource("qwen4exp/q8_0.gguf"), 150, threads, kvType, Experts.allResident());
    }

    private static int[] tokens(int count, long seed) {
        return new Random(seed).ints(count, 0, 512).toArray();
    }
}
