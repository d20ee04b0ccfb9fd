package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.DeferredBackend.Pace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExpertCapacityTest {

    private static final long SLOT = 1L << 20;

    private static int slots(String text) {
        return ExpertCapacity.parse(text).slots(SLOT, 1000, 8, 300 * SLOT);
    }

    @ParameterizedTest
    @CsvSource({"64MB,64", " 64mb ,64", "64 MB,64", "65536KB,64", "67108864,64", "67108864B,64", "64MiB,64", "67108863,63", "25%,250",
        "12.5 %,125",
        "1.6%,16", "100%,1000", "8GB,1000", "1TB,1000", "auto,300", "AUTO,300"})
    void sizesAreCountedInSlots(String text, int expected) {
        assertThat(slots(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "lots", "8 potatoes", "-1GB", "0%", "101%", "NaN%", "%", "9999999999TB", "1.5GB", "25%GB"})
    void otherTextsAreRefusedWithThePropertyAndTheForms(String text) {
        assertThatThrownBy(() -> ExpertCapacity.parse(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ringside.experts.arena-bytes").hasMessageContaining("'" + text + "'").hasMessageContaining("25%");
    }

    @Test
    void autoTakesAllExpertsWhereTheyFit() {
        assertThat(new ExpertCapacity.Auto().slots(SLOT, 1000, 8, 1L << 40)).isEqualTo(1000);
    }

    @Test
    void sizeBelowOneTokensNeedIsRefusedWithTheSizeNeeded() {
        assertThatThrownBy(() -> slots("15MB")).isInstanceOfSatisfying(ExpertArenaTooSmallException.class, e -> {
            assertThat(e.askedBytes()).isEqualTo(15 * SLOT);
            assertThat(e.neededBytes()).isEqualTo(16 * SLOT);
        }).hasMessageContaining("ringside.experts.arena-bytes: '15MB'").hasMessageContaining("15,728,640")
                .hasMessageContaining("16,777,216")
                .hasMessageContaining("1.6%");
    }

    @Test
    void shareNamedInTheRefusalIsEnough() {
        for (int total = 17; total < 400; total++) {
            int experts = total;
            assertThatThrownBy(() -> ExpertCapacity.parse("0.1%").slots(SLOT, experts, 8, 0)).satisfies(e -> {
                String message = e.getMessage();
                String share = message.substring(message.lastIndexOf("to '", message.indexOf("or to 'auto'")) + 4,
                        message.indexOf("', or to 'auto'"));
                assertThat(ExpertCapacity.parse(share).slots(SLOT, experts, 8, 0)).isGreaterThanOrEqualTo(16);
            });
        }
    }

    @Test
    void modelWithFewerExpertsThanTheMinimumNeedsOnlyThose() {
        assertThat(ExpertCapacity.parse("100%").slots(SLOT, 10, 8, 0)).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({"lru,0", "window:8,8", "WINDOW:25,25"})
    void evictionsAreReadByName(String text, int window) {
        assertThat(ExpertEviction.parse(text)).isEqualTo(new ExpertEviction.Window(window));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fifo", "window", "window:", "window:x", "window:101", "window:-1"})
    void otherEvictionsAreRefused(String text) {
        assertThatThrownBy(() -> ExpertEviction.parse(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ringside.experts.eviction");
    }

    @ParameterizedTest
    @CsvSource({"AUTO,true,pinned", "AUTO,false,device", "DEVICE,true,device", "PINNED,false,pinned"})
    void arenaKindFollowsTheDeviceUnlessNamed(ArenaKind asked, boolean unified, String expected) {
        DeferredBackend backend = new DeferredBackend(1, Pace.LAZY, unified);
        PatternSource source = new PatternSource(16);
        try (ExpertArena arena = ExpertArenaFactory.configured().create(backend, source, FetcherRig.options(asked, source, 8, 2))) {
            assertThat(arena.kind().text()).isEqualTo(expected);
        }
    }
}
