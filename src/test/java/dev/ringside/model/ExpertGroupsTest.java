package dev.ringside.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.ExpertWave;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.RoutingTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ExpertGroupsTest {

    @Test
    void everyPairIsServedByItsOwnExpertInAscendingOrder() {
        try (Arena arena = Arena.ofConfined()) {
            RoutingTable routing = routing(arena, 2, 5, 1, 1, 0, 5, 7);
            ExpertGroups groups = new ExpertGroups(8, 6);
            groups.group(routing, 3);

            assertThat(Arrays.copyOf(groups.experts(), groups.count())).containsExactly(0, 1, 5, 7);
            ExpertWave wave = new ExpertWave(8, 6);
            groups.fill(wave, new int[] {5, 1}, new long[] {500, 100}, 2);
            assertThat(wave.groups).isEqualTo(2);
            assertThat(Arrays.copyOf(wave.firstPair, 3)).containsExactly(0, 2, 4);
            assertThat(Arrays.copyOf(wave.pairs, 4)).containsExactly(0, 4, 1, 2);
            assertThat(wave.slotAddress[0]).isEqualTo(500);
        }
    }

    @Test
    void anEarlierStepLeavesNoTrace() {
        try (Arena arena = Arena.ofConfined()) {
            ExpertGroups groups = new ExpertGroups(8, 6);
            groups.group(routing(arena, 2, 5, 1, 1, 0, 5, 7), 3);
            groups.group(routing(arena, 2, 3, 4), 1);

            assertThat(Arrays.copyOf(groups.experts(), groups.count())).containsExactly(3, 4);
        }
    }

    private static RoutingTable routing(Arena arena, int choices, int... experts) {
        MemorySegment ids = arena.allocateFrom(ValueLayout.JAVA_INT, experts);
        MemorySegment weights = arena.allocate(ValueLayout.JAVA_FLOAT, experts.length);
        return new RoutingTable(new PinnedBuffer(ids, new DevicePtr(ids.address(), ids.byteSize())),
                new PinnedBuffer(weights, new DevicePtr(weights.address(), weights.byteSize())), choices);
    }
}
