package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UseOrderTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 11);
    private static final int SLOTS = 9;

    private static List<Integer> fromOldest(UseOrder order) {
        List<Integer> slots = new ArrayList<>();
        for (int slot = order.oldest(); slot != SLOTS; slot = order.newer(slot)) {
            slots.add(slot);
        }
        return slots;
    }

    private static List<Integer> fromNewest(UseOrder order) {
        List<Integer> slots = new ArrayList<>();
        for (int slot = order.newest(); slot != SLOTS; slot = order.older(slot)) {
            slots.add(slot);
        }
        return slots;
    }

    @Test
    void anEmptyOrderHasNoOldestAndNoNewest() {
        UseOrder order = new UseOrder(SLOTS);
        assertThat(order.oldest()).isEqualTo(SLOTS);
        assertThat(order.newest()).isEqualTo(SLOTS);
    }

    @Test
    void bothDirectionsAgreeWithAListWhateverIsDone() {
        Random random = new Random(SEED);
        UseOrder order = new UseOrder(SLOTS);
        List<Integer> model = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            Integer slot = random.nextInt(SLOTS);
            if (model.remove(slot)) {
                order.remove(slot);
            }
            switch (random.nextInt(4)) {
                case 0 -> {
                    order.addNewest(slot);
                    model.add(slot);
                }
                case 1 -> {
                    order.addOldest(slot);
                    model.addFirst(slot);
                }
                case 2 -> {
                    int at = random.nextInt(model.size() + 1);
                    order.addBehind(at == model.size() ? SLOTS : model.get(at), slot);
                    model.add(at, slot);
                }
                default -> {
                    // It stays out.
                }
            }
            assertThat(fromOldest(order)).as("seed %d, change %d", SEED, i).isEqualTo(model);
            assertThat(fromNewest(order)).as("seed %d, change %d", SEED, i).isEqualTo(model.reversed());
        }
    }
}
