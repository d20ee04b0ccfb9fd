package dev.ringside.sampling.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NumberRangeTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 1_618L);

    private static boolean fits(BigDecimal value, BigDecimal low, boolean lowExcluded, BigDecimal high, boolean highExcluded) {
        int toLow = value.compareTo(low);
        int toHigh = value.compareTo(high);
        return (toLow > 0 || toLow == 0 && !lowExcluded) && (toHigh < 0 || toHigh == 0 && !highExcluded);
    }

    private static void compare(Random random, int places, long seed) {
        BigDecimal low = BigDecimal.valueOf(random.nextInt(4_001) - 2_000, random.nextInt(places + 1));
        BigDecimal high = low.add(BigDecimal.valueOf(random.nextInt(3_000), random.nextInt(places + 1)));
        boolean lowExcluded = random.nextBoolean();
        boolean highExcluded = random.nextBoolean();
        if (!anyFits(low, lowExcluded, high, highExcluded, places)) {
            return;
        }
        CompiledGrammar grammar = Texts.overBytes(new Grammar(new NumberRange(low, lowExcluded, high, highExcluded, places).expr()));
        for (int i = 0; i < 300; i++) {
            BigDecimal near = random.nextBoolean() ? low : high;
            BigDecimal value = near.add(BigDecimal.valueOf(random.nextInt(41) - 20, random.nextInt(places + 1)));
            String text = value.toPlainString();
            if (!text.startsWith("-0") || value.signum() != 0) {
                assertThat(Texts.fits(grammar, text))
                        .as("%s in %s (%s) to %s (%s), seed %d", text, low, lowExcluded, high, highExcluded, seed)
                        .isEqualTo(fits(value, low, lowExcluded, high, highExcluded));
            }
        }
    }

    private static boolean anyFits(BigDecimal low, boolean lowExcluded, BigDecimal high, boolean highExcluded, int places) {
        BigDecimal step = BigDecimal.valueOf(1, places);
        BigDecimal first = lowExcluded ? low.add(step) : low;
        BigDecimal last = highExcluded ? high.subtract(step) : high;
        return first.compareTo(last) <= 0;
    }

    @Test
    void integersBetweenBoundsFitAndNoOthers() {
        for (int i = 0; i < 100; i++) {
            compare(new Random(SEED + i), 0, SEED + i);
        }
    }

    @Test
    void decimalsBetweenBoundsFitAndNoOthers() {
        for (int i = 0; i < 100; i++) {
            compare(new Random(SEED + i), 3, SEED + i);
        }
    }
}
