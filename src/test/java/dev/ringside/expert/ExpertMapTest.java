package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.DeferredBackend.Pace;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ExpertMapTest {

    private static FetcherRig rig(ArenaKind kind, int slots) {
        PatternSource source = new PatternSource(16, 0, 40);
        return new FetcherRig(source, new DeferredBackend(1, Pace.RANDOM, true), FetcherRig.options(kind, source, slots, 2));
    }

    @Test
    void mapSaysWhichLayersThereAreAndStartsEmpty() {
        try (FetcherRig rig = rig(ArenaKind.PINNED, 4)) {
            ExpertMap map = rig.fetcher.map();
            assertThat(map.layers()).containsExactly(0, 2);
            assertThat(map.experts()).containsExactly(16, 40);
            assertThat(map.resident()).hasSize(56).containsOnly(false);
            assertThat(map.uses()).containsOnly(0);
            assertThat(map.loads()).containsOnly(0);
        }
    }

    @Test
    void useAndLoadAreCountedForEachExpert() {
        try (FetcherRig rig = rig(ArenaKind.PINNED, 8)) {
            rig.gather(0, 3, 3, 5);
            rig.gather(2, 7);
            rig.gather(2, 7);
            ExpertMap map = rig.fetcher.map();
            assertThat(map.uses()[3]).isEqualTo(1);
            assertThat(map.uses()[16 + 7]).isEqualTo(2);
            assertThat(map.loads()[16 + 7]).isEqualTo(1);
            assertThat(map.resident()[5]).isTrue();
            assertThat(map.resident()[6]).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DEVICE", "PINNED"})
    void residentExpertsAreThoseInSlotsAlsoAfterEvictionsAndResizing(ArenaKind kind) {
        try (FetcherRig rig = rig(kind, 8)) {
            for (int i = 0; i < 30; i++) {
                rig.gather(i % 2 * 2, IntStream.of(i % 16, (i * 7 + 1) % 16).distinct().toArray());
                if (i == 20) {
                    rig.fetcher.trim();
                    rig.fetcher.applyRequests();
                }
                assertResidentIsWhatSlotsHold(rig);
            }
            assertThat(IntStream.of(rig.fetcher.map().loads()).sum()).isEqualTo((int) rig.fetcher.snapshot().misses());
        }
    }

    private static void assertResidentIsWhatSlotsHold(FetcherRig rig) {
        boolean[] expected = new boolean[56];
        for (int slot = 0; slot < rig.arena.slots(); slot++) {
            int key = rig.fetcher.keyIn(slot);
            if (key >= 0) {
                expected[(ExpertKey.layer(key) == 0 ? 0 : 16) + ExpertKey.expert(key)] = true;
            }
        }
        assertThat(rig.fetcher.map().resident()).isEqualTo(expected);
    }
}
