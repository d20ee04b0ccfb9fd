package dev.ringside.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.DevicePtr;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PlaneViewsTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 3);

    @Test
    void aPlanesViewIsThePartAtTheOffset() {
        assertThat(new PlaneViews(256, 64).of(0x7000_0000_1000L)).isEqualTo(new DevicePtr(0x7000_0000_1100L, 64));
    }

    @Test
    void aPlanesViewIsMadeOnceHoweverManyPlanesThereAre() {
        PlaneViews views = new PlaneViews(8, 16);
        List<Long> planes = new Random(SEED).longs(500, 1, 1L << 47).boxed().toList();
        List<DevicePtr> first = new ArrayList<>();
        planes.forEach(plane -> first.add(views.of(plane)));
        for (int i = 0; i < planes.size(); i++) {
            assertThat(first.get(i).address()).as("seed " + SEED).isEqualTo(planes.get(i) + 8);
            assertThat(views.of(planes.get(i))).as("seed " + SEED).isSameAs(first.get(i));
        }
    }
}
