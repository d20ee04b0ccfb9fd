package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlotTouchesTest {

    private final SlotTouches touches = new SlotTouches(4);

    @Test
    void aSlotIsPinnedUntilTheNextStepHoweverOftenItIsTouched() {
        touches.touch(2);
        touches.touch(2);
        assertThat(touches.pinned()).isEqualTo(1);
        assertThat(touches.isPinned(2)).isTrue();
        touches.beginStep();
        assertThat(touches.pinned()).isZero();
        assertThat(touches.isPinned(2)).isFalse();
        assertThat(touches.age(2)).isEqualTo(1);
    }

    @Test
    void aSlotWhoseExpertIsGoneIsPinnedNoMore() {
        touches.touch(1);
        touches.unpin(1);
        touches.unpin(3);
        assertThat(touches.pinned()).isZero();
        assertThat(touches.isPinned(1)).isFalse();
    }

    @Test
    void agesOutliveMovesAndChangesOfSize() {
        touches.touch(3);
        touches.beginStep();
        touches.beginStep();
        touches.move(3, 0);
        SlotTouches smaller = touches.resized(2);
        assertThat(smaller.age(0)).isEqualTo(3);
        assertThat(smaller.pinned()).isZero();
        assertThat(smaller.steps()).isEqualTo(touches.steps() + 1);
    }
}
