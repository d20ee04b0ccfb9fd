package dev.ringside.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gpu.DeviceInfo;
import dev.ringside.model.ModelInfo;
import dev.ringside.sequence.StateLayout;
import org.junit.jupiter.api.Test;

class StatePlanTest {

    private static final long MIB = 1 << 20;
    private static final int CONTEXT = 1000;

    private int drafts;

    /** A page of 1 MiB for 64 tokens: 16 pages for the whole context. A plane of 1 MiB. */
    private final StateLayout layout = layout();

    @Test
    void whereThereIsRoomEverySequenceCanHaveTheFullContext() {
        StatePlan plan = plan(1 << 20, "scheduler.max-active", "4");

        assertThat(plan.contextLength()).isEqualTo(CONTEXT);
        assertThat(plan.budget().pages()).isEqualTo(4 * 16);
        assertThat(plan.budget().maxSequences()).isEqualTo(4);
    }

    @Test
    void byItselfItTakesAQuarterOfTheDevice() {
        assertThat(plan(4 * 40, "scheduler.max-active", "4").budget().pages()).as("40 MiB less 12 planes of 1 MiB").isEqualTo(28);
    }

    @Test
    void withoutPrefixesEverySequenceHasAPlaneLess() {
        assertThat(plan(4 * 40, "scheduler.max-active", "4", "checkpoints.memory-bytes", "0").budget().pages()).isEqualTo(32);
    }

    @Test
    void everyDraftTakesAPlaneThatBoundariesUseToo() {
        drafts = 1;
        assertThat(plan(4 * 40, "scheduler.max-active", "4").budget().planes()).isEqualTo(3);
        drafts = 3;
        assertThat(plan(4 * 40, "scheduler.max-active", "4").budget().planes()).isEqualTo(5);
    }

    @Test
    void aShorterContextTakesFewerPages() {
        assertThat(plan(1 << 20, "scheduler.max-active", "4", "model.context-length", "100").budget().pages()).isEqualTo(4 * 2);
    }

    @Test
    void theModelsContextIsShortenedToWhatFits() {
        StatePlan plan = plan(1 << 20, "scheduler.max-active", "4", "state.memory-bytes", "22MB");

        assertThat(plan.contextLength()).as("10 pages of 64 tokens").isEqualTo(640);
    }

    @Test
    void aContextThatWasAskedForIsNotShortened() {
        assertThatThrownBy(() -> plan(1 << 20, "scheduler.max-active", "4", "state.memory-bytes", "22MB", "model.context-length", "1000"))
                .isInstanceOf(StartupException.class).hasMessageContaining("1000 tokens").hasMessageContaining(String.valueOf(28 * MIB));
    }

    private StatePlan plan(long deviceMebibytes, String... settings) {
        ModelInfo model = new ModelInfo("qwen4exp", "m", CONTEXT, 10, 8, 1, 0, 4, 2, 100, 50);
        return StatePlan.of(Settings.of(settings), model, layout, new DeviceInfo("cpu", "d", "", true, deviceMebibytes * MIB), drafts);
    }

    private static StateLayout layout() {
        StateLayout.Builder builder = StateLayout.builder(64);
        builder.positional("keys", MIB);
        builder.recurrent("delta", MIB);
        return builder.build();
    }
}
