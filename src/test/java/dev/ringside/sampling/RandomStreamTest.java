package dev.ringside.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RandomStreamTest {

    @Test
    void theSequenceOfASeedIsSplitMix64() {
        RandomStream random = new RandomStream(1234567);

        // First outputs published with the algorithm for this seed.
        assertThat(random.nextLong()).isEqualTo(6457827717110365317L);
        assertThat(random.nextLong()).isEqualTo(3203168211198807973L);
    }

    @Test
    void aRestoredStreamGoesOnWhereItWas() {
        RandomStream random = new RandomStream(5);
        random.nextLong();
        long saved = random.state();
        double expected = random.nextDouble();
        RandomStream other = new RandomStream(0);
        other.restore(saved);

        assertThat(other.nextDouble()).isEqualTo(expected);
    }

    @Test
    void aSplitStreamDiffersFromItsParent() {
        RandomStream parent = new RandomStream(5);
        RandomStream child = parent.split();

        assertThat(child.nextLong()).isNotEqualTo(parent.nextLong());
    }

    @Test
    void doublesLieBetweenZeroAndOne() {
        RandomStream random = new RandomStream(-1);
        for (int i = 0; i < 10_000; i++) {
            assertThat(random.nextDouble()).isGreaterThanOrEqualTo(0).isLessThan(1);
        }
    }
}
