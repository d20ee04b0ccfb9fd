package dev.ringside.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.expert.ExpertMap;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeatMapTest {

    private static ExpertMap map(boolean[] resident, int[] uses, int[] loads) {
        return new ExpertMap(List.of(0), new int[] {resident.length}, resident, uses, loads);
    }

    private static byte[] bytes(String picture) {
        return Base64.getDecoder().decode(picture);
    }

    @Test
    void whatHappenedBeforeTheFirstPictureIsNotHot() {
        HeatMap heat = new HeatMap();
        byte[] first = bytes(heat.next(map(new boolean[] {true, false}, new int[] {500, 0}, new int[] {1, 0})));
        assertThat(first).containsExactly(HeatMap.RESIDENT, 0);
    }

    @Test
    void usedExpertsAreHotterThanUnusedOnesAndCoolDown() {
        HeatMap heat = new HeatMap();
        heat.next(map(new boolean[] {true, true, true}, new int[] {0, 0, 0}, new int[] {1, 1, 1}));
        ExpertMap used = map(new boolean[] {true, true, true}, new int[] {100, 5, 0}, new int[] {1, 1, 1});
        byte[] picture = bytes(heat.next(used));
        int most = picture[0] & HeatMap.HOTTEST;
        int some = picture[1] & HeatMap.HOTTEST;
        assertThat(most).isEqualTo(HeatMap.HOTTEST);
        assertThat(some).isPositive().isLessThan(most);
        assertThat(picture[2] & HeatMap.HOTTEST).isZero();
        byte[] last = picture;
        for (int i = 0; i < 200; i++) {
            String next = heat.next(used);
            last = next == null ? last : bytes(next);
        }
        assertThat(last).containsOnly((byte) HeatMap.RESIDENT);
    }

    @Test
    void expertThatWasReadIsMarkedOnceAlsoAcrossTheWrapOfItsCounter() {
        HeatMap heat = new HeatMap();
        heat.next(map(new boolean[] {false}, new int[] {0}, new int[] {Integer.MAX_VALUE}));
        byte[] read = bytes(heat.next(map(new boolean[] {true}, new int[] {0}, new int[] {Integer.MIN_VALUE})));
        byte[] after = bytes(heat.next(map(new boolean[] {true}, new int[] {0}, new int[] {Integer.MIN_VALUE})));
        assertThat(read[0] & HeatMap.LOADED).isNotZero();
        assertThat(after[0] & HeatMap.LOADED).isZero();
    }

    @Test
    void pictureLikeTheLastOneIsNotSentAgain() {
        HeatMap heat = new HeatMap();
        ExpertMap still = map(new boolean[] {true}, new int[] {7}, new int[] {1});
        assertThat(heat.next(still)).isNotNull();
        assertThat(heat.next(still)).isNull();
    }

    @Test
    void modelWithoutExpertsHasAnEmptyPictureOnce() {
        HeatMap heat = new HeatMap();
        heat.next(ExpertMap.NONE);
        assertThat(heat.next(ExpertMap.NONE)).isNull();
    }
}
