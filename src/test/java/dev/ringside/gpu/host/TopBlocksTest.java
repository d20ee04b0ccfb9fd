package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.DevicePtr;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TopBlocksTest {

    private final TestMemory memory = new TestMemory();

    @AfterEach
    void free() {
        memory.close();
    }

    @Test
    void choosesTheGreatestInAscendingOrderOfIndex() {
        assertThat(choose(new float[] {0.5f, 3f, 0f, 2f, 9f}, 3)).containsExactly(1, 3, 4);
    }

    @Test
    void tiesGoToTheLowestIndex() {
        assertThat(choose(new float[] {0f, 1f, 1f, 0f, 1f}, 2)).containsExactly(1, 2);
        assertThat(choose(new float[] {0f, 0f, 1f, 0f}, 3)).containsExactly(0, 1, 2);
        assertThat(choose(new float[5], 4)).containsExactly(0, 1, 2, 3);
    }

    @Test
    void handlesInfinityAndSubnormals() {
        assertThat(choose(new float[] {Float.MIN_VALUE, 0f, Float.POSITIVE_INFINITY, Float.MAX_VALUE, 2 * Float.MIN_VALUE}, 3))
                .containsExactly(2, 3,
                        4);
    }

    @Test
    void agreesWithASortForRandomScores() {
        Random random = new Random(TestMemory.seed());
        for (int round = 0; round < 300; round++) {
            int count = 2 + random.nextInt(700);
            int keep = 1 + random.nextInt(count - 1);
            float[] scores = new float[count];
            for (int i = 0; i < count; i++) {
                scores[i] = switch (random.nextInt(4)) {
                    case 0 -> 0;
                    case 1 -> random.nextInt(3);
                    case 2 -> Float.intBitsToFloat(0x3F800000 + random.nextInt(40));
                    default -> random.nextFloat();
                };
            }
            int[] expected = IntStream.range(0, count).boxed().sorted(Comparator.comparing((Integer i) -> -scores[i])).limit(keep).sorted()
                    .mapToInt(i -> i).toArray();
            assertThat(choose(scores, keep)).as("seed %d, round %d", TestMemory.seed(), round).isEqualTo(expected);
        }
    }

    private int[] choose(float[] scores, int keep) {
        DevicePtr indexes = memory.floats(keep);
        new TopBlocks().choose(memory.of(scores).address(), scores.length, keep, indexes.address());
        return IntStream.range(0, keep).map(i -> HostMemory.getInt(indexes.address() + 4L * i)).toArray();
    }
}
