package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Changes of residency as a copy of the table sees them. */
class SlotAddressesTest {

    private final SlotAddresses addresses = new SlotAddresses(2, 4);
    private final ExpertCache cache = new ExpertCache(2, VictimPolicies.of(ExpertEviction.LRU, 2, new int[] {4, 4}, 1),
            ResidencyCounters.NONE);
    private final long[] copy = new long[8];

    SlotAddressesTest() {
        cache.watchedBy((key, slot) -> addresses.set(key, slot < 0 ? 0 : 1000 + slot));
    }

    private void bring(int layer, int expert) {
        int[] slot = new int[1];
        cache.beginStep();
        cache.reserve(1, slot);
        cache.publish(slot[0], ExpertKey.of(layer, expert));
    }

    private void follow() {
        long[] values = addresses.values();
        for (int i = 0; i < addresses.changes(); i++) {
            copy[addresses.cells()[i]] = values[i];
        }
        addresses.takenOver();
    }

    private void assertCopyIsRight() {
        for (int layer = 0; layer < 2; layer++) {
            for (int expert = 0; expert < 4; expert++) {
                int slot = cache.find(ExpertKey.of(layer, expert));
                assertThat(copy[layer * 4 + expert]).isEqualTo(slot < 0 ? 0 : 1000 + slot).isEqualTo(addresses.address(layer, expert));
            }
        }
    }

    @Test
    void aCopyFollowsWhatComesAndWhatGivesWay() {
        bring(0, 1);
        bring(1, 3);
        follow();
        assertCopyIsRight();
        bring(1, 0);
        assertThat(addresses.changes()).as("one came, one gave way").isEqualTo(2);
        follow();
        assertCopyIsRight();
        assertThat(Arrays.stream(copy).filter(value -> value != 0)).hasSize(2);
    }

    @Test
    void whatHappenedInBetweenIsOneChange() {
        bring(0, 1);
        follow();
        bring(0, 2);
        bring(0, 3);
        bring(0, 1);
        follow();
        assertCopyIsRight();
    }

    @Test
    void aCacheThatForgetsEverythingLeavesNothing() {
        bring(0, 1);
        bring(1, 2);
        follow();
        cache.clear();
        follow();
        assertThat(copy).containsOnly(0);
    }

    @Test
    void aNewCopyIsToldAllThereIs() {
        bring(0, 1);
        bring(1, 2);
        addresses.takenOver();
        assertThat(addresses.changes()).isZero();
        addresses.takeOverAll();
        follow();
        assertCopyIsRight();
    }
}
