package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.sampling.SamplingParameters;
import dev.ringside.sequence.StateBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tokens drawn with drafts are distributed as without: a chi-square test of homogeneity over the last two of three drawn tokens, which are those
 * that drafts can touch, of {@value #DRAWS} generations each way with different seeds.
 *
 * <p>Power: the critical value belongs to a false alarm in 100,000 seeds; for 35 degrees of freedom it is 77. A defect that replaces a share of 5 %
 * of the second tokens by the draft, as accepting drafts too readily does, moves 0.05 (1 - p) of the mass onto a draft of probability p, about
 * 1/6: the noncentrality is {@code DRAWS / 2 * (0.04^2 / p + 0.04^2 / (1 - p))}, more than 110, so the statistic is 145 with a standard deviation
 * of 23 and the defect is found with 99.8 %. The second test plants it at 10 %, where only one in 10^9 would escape.
 */
class SpeculationDistributionTest {

    private static final int DRAWS = 20_000;
    private static final int WORDS = 6;
    /** Quantile of the normal distribution for a false alarm in 100,000. */
    private static final double NORMAL_QUANTILE = 4.265;

    @Test
    void drawnTokensAreDistributedAsWithoutDrafts() {
        long[] plain = draw(0, 1, 0);
        long[] drafted = draw(3, 1_000_003, 0);

        assertThat(excess(plain, drafted)).as("chi-square beyond its critical value").isNegative();
    }

    @Test
    void aTenthOfTokensReplacedByDraftsWouldBeFound() {
        long[] plain = draw(0, 1, 0);
        long[] defective = draw(3, 1_000_003, 10);

        assertThat(excess(plain, defective)).as("chi-square beyond its critical value").isPositive();
    }

    /** Counts of (second, third) token; every {@code replaceOneIn}-th second token is taken to be the draft. */
    private static long[] draw(int maxDrafts, long firstSeed, int replaceOneIn) {
        TestTokenizer tokenizer = TestTokenizer.ofSize(WORDS + 1);
        FakeModel model = new FakeModel(WORDS + 1, 16, FakeModel.byHash(WORDS + 1));
        DraftingModel.Guess guess = (position, _) -> position % WORDS;
        long[] counts = new long[WORDS * WORDS];
        model.peak(5);
        try (EngineHarness harness = new EngineHarness(new DraftingModel(model, guess), tokenizer,
                new EngineOptions(16, 64, 16, 0).with(new SpeculationOptions(maxDrafts, false)), new StateBudget(16, 2 + maxDrafts, 64),
                null)) {
            for (int done = 0; done < DRAWS; done += 500) {
                List<Recorder> recorders = new ArrayList<>();
                for (int i = done; i < done + 500; i++) {
                    SamplingParameters seeded = new SamplingParameters(2, 1, 0, 0, 0, 0, 1, firstSeed + i, Map.of(WORDS, -100f));
                    recorders.add(harness.run(new GenerationRequest("r", new int[] {1, 2}, seeded, 3, List.of(), true)));
                }
                for (int i = 0; i < recorders.size(); i++) {
                    String[] words = recorders.get(i).awaitEnd().text().split(" ");
                    int first = Integer.parseInt(words[0].substring(1));
                    int second = Integer.parseInt(words[1].substring(1));
                    int third = Integer.parseInt(words[2].substring(1));
                    if (replaceOneIn > 0 && (done + i) % replaceOneIn == 0) {
                        second = guess.next(2, first);
                    }
                    counts[second * WORDS + third]++;
                }
            }
            SpeculationSnapshot drafts = harness.engine.snapshot().speculation();
            assertThat(drafts.drafted() > 0).isEqualTo(maxDrafts > 0);
            if (maxDrafts > 0) {
                assertThat(drafts.acceptance()).as("share accepted, so that both outcomes are tested").isBetween(0.03, 0.97);
            }
        }
        return counts;
    }

    /** How far the chi-square statistic of two samples lies beyond its critical value (Wilson and Hilferty's approximation). */
    private static double excess(long[] one, long[] other) {
        double statistic = 0;
        int cells = 0;
        double restOne = 0;
        double restOther = 0;
        for (int i = 0; i < one.length; i++) {
            if (one[i] + other[i] < 20) {
                restOne += one[i];
                restOther += other[i];
                continue;
            }
            statistic += term(one[i], other[i]);
            cells++;
        }
        if (restOne + restOther > 0) {
            statistic += term(restOne, restOther);
            cells++;
        }
        double freedom = cells - 1;
        double scale = 2 / (9 * freedom);
        double critical = freedom * Math.pow(1 - scale + NORMAL_QUANTILE * Math.sqrt(scale), 3);
        return statistic - critical;
    }

    /** For samples of equal size. */
    private static double term(double one, double other) {
        return one + other == 0 ? 0 : (one - other) * (one - other) / (one + other);
    }
}
