package dev.ringside.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class StateLayoutTest {

    @Test
    void regionsAreAlignedTo256InPagesAndPlanes() {
        StateLayout.Builder builder = StateLayout.builder(64);
        assertThat(builder.positional("keys", 1000)).isZero();
        assertThat(builder.recurrent("delta", 257)).isZero();
        assertThat(builder.positional("values", 256)).isEqualTo(1024);
        assertThat(builder.recurrent("history", 4)).isEqualTo(512);
        StateLayout layout = builder.build();
        assertThat(layout.pageBytes()).isEqualTo(1280);
        assertThat(layout.planeBytes()).isEqualTo(768);
        assertThat(layout.regions()).containsExactly(new StateRegion("keys", true, 0, 1000), new StateRegion("delta", false, 0, 257),
                new StateRegion("values", true, 1024, 256), new StateRegion("history", false, 512, 4));
    }

    @Test
    void bytesAtAPositionAreItsPagesAndOnePlane() {
        StateLayout.Builder builder = StateLayout.builder(16);
        builder.positional("keys", 512);
        builder.recurrent("delta", 256);
        StateLayout layout = builder.build();
        assertThat(layout.stateBytesAt(0)).isEqualTo(256);
        assertThat(layout.stateBytesAt(1)).isEqualTo(256 + 512);
        assertThat(layout.stateBytesAt(16)).isEqualTo(256 + 512);
        assertThat(layout.stateBytesAt(17)).isEqualTo(256 + 1024);
        assertThat(layout.pagesFor(Integer.MAX_VALUE)).isEqualTo(1 << 27);
    }

    @Test
    void nameUsedTwiceIsRefused() {
        StateLayout.Builder builder = StateLayout.builder(16);
        builder.positional("keys", 512);
        assertThatThrownBy(() -> builder.recurrent("keys", 512)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'keys'");
    }
}
