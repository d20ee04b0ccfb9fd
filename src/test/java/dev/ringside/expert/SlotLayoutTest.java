package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.ExpertShape;
import org.junit.jupiter.api.Test;

class SlotLayoutTest {

    private final SlotLayout layout = SlotLayout.builder()
            .add(1, 64, 32, GgmlType.Q8_0, GgmlType.Q4_0, GgmlType.F16)
            .add(4, 64, 96, GgmlType.F32, GgmlType.F32, GgmlType.F32)
            .build();

    @Test
    void matricesFollowEachOtherAlignedTo256() {
        ExpertShape shape = layout.shape(1);
        assertThat(shape.gateOffset()).isZero();
        assertThat(shape.upOffset()).isEqualTo(2304); // 32 rows of 68 bytes are 2,176
        assertThat(shape.downOffset()).isEqualTo(2304 + 1280); // 32 rows of 36 bytes are 1,152
        assertThat(layout.usedBytes(1)).isEqualTo(3584 + 64 * 64);
        assertThat(layout.expertBytes(1)).isEqualTo(2176 + 1152 + 4096);
    }

    @Test
    void slotsHaveTheSizeOfTheLargestLayer() {
        assertThat(layout.slotBytes()).isEqualTo(3L * 64 * 96 * 4);
    }

    @Test
    void layerWithoutExpertsIsNamed() {
        assertThatThrownBy(() -> layout.shape(2)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("Layer 2")
                .hasMessageContaining("[1, 4]");
    }

    @Test
    void keysHoldLayerAndExpert() {
        int key = ExpertKey.of(93, 511);
        assertThat(ExpertKey.layer(key)).isEqualTo(93);
        assertThat(ExpertKey.expert(key)).isEqualTo(511);
        assertThat(ExpertKey.of(ExpertKey.MAX_LAYERS - 1, ExpertKey.MAX_EXPERTS - 1)).isPositive();
        assertThatThrownBy(() -> ExpertKey.of(0, ExpertKey.MAX_EXPERTS)).isInstanceOf(IllegalArgumentException.class);
    }
}
