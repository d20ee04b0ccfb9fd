package dev.ringside.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.StepRows;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PageSharingTest {

    private static final int PAGE_TOKENS = 4;
    private static final int[] TOKENS = new int[40];

    private final DeferredBackend backend = new DeferredBackend(1, DeferredBackend.Pace.LAZY, true);
    private final GpuStream stream = backend.createStream();
    private final StatePool pool = new StatePool(backend, stream, layout(), new StateBudget(3, 3, 6));
    private final StepRows rows = new StepRows(16);

    private static StateLayout layout() {
        StateLayout.Builder builder = StateLayout.builder(PAGE_TOKENS);
        builder.positional("keys", 300);
        builder.recurrent("delta", 100);
        return builder.build();
    }

    @AfterEach
    void close() {
        pool.close();
        backend.close();
        assertThat(backend.violations()).isEmpty();
    }

    private SequenceState filled(int positions) {
        SequenceState state = pool.acquire(20);
        rows.clear();
        state.prepare(rows, TOKENS, 0, positions, false, LogitsMode.LAST);
        state.commit(positions);
        return state;
    }

    /** A sequence that stands where another one does, on the same pages. */
    private SequenceState sharing(SequenceState other) {
        SequenceState state = pool.acquire(20);
        long[] table = new long[other.pageCount()];
        Arrays.setAll(table, other::page);
        for (long page : table) {
            pool.retainPage(page);
        }
        state.standOn(table, table.length, TOKENS, other.position(), 0, -1);
        return state;
    }

    private void append(SequenceState state, int count) {
        rows.clear();
        state.prepare(rows, TOKENS, 0, count, false, LogitsMode.LAST);
    }

    private void fill(long page, int value) {
        backend.launch(stream, () -> backend.bytes(page, 300).fill((byte) value));
    }

    private int first(long page) {
        backend.drain();
        return backend.bytes(page, 1).get(ValueLayout.JAVA_BYTE, 0);
    }

    @Test
    void sharedPagesAreHeldOnceUntilTheLastHolderLetsGo() {
        SequenceState first = filled(8);
        SequenceState second = sharing(first);
        assertThat(pool.snapshot().pagesUsed()).isEqualTo(2);
        assertThat(pool.snapshot().pagesShared()).isEqualTo(2);
        first.close();
        assertThat(pool.snapshot().pagesUsed()).isEqualTo(2);
        assertThat(pool.snapshot().pagesShared()).isZero();
        second.close();
        assertThat(pool.snapshot().pagesUsed()).isZero();
        assertThat(pool.freePages()).isEqualTo(6);
    }

    @Test
    void aFullSharedPageIsNeverCopied() {
        SequenceState first = filled(8);
        SequenceState second = sharing(first);
        append(second, 2);
        assertThat(second.page(1)).isEqualTo(first.page(1));
        assertThat(pool.snapshot().pagesUsed()).isEqualTo(3);
    }

    @Test
    void aPartlyFilledSharedPageIsCopiedBeforeItIsWritten() {
        SequenceState first = filled(6);
        fill(first.page(1), 7);
        SequenceState second = sharing(first);
        append(second, 1);
        assertThat(second.page(0)).isEqualTo(first.page(0));
        assertThat(second.page(1)).isNotEqualTo(first.page(1));
        assertThat(first(second.page(1))).isEqualTo(7);
        assertThat(rows.page(0, 1)).isEqualTo(second.page(1));
        second.rollback();
        append(first, 1);
        assertThat(pool.snapshot().pagesUsed()).as("the first holds its page alone by now").isEqualTo(3);
    }

    @Test
    void aCopyThatFindsNoPageOrFailsChangesNothing() {
        SequenceState first = filled(6);
        SequenceState second = sharing(first);
        SequenceState third = filled(16);
        assertThatThrownBy(() -> append(second, 1)).isInstanceOf(StateExhaustedException.class).hasMessageContaining("1 more pages");
        assertThat(second.page(1)).isEqualTo(first.page(1));
        third.close();
        backend.failWhen(call -> call.equals("copy"));
        assertThatThrownBy(() -> append(second, 1)).isInstanceOf(DeviceException.class);
        backend.failNever();
        assertThat(second.page(1)).isEqualTo(first.page(1));
        assertThat(pool.snapshot().pagesUsed()).isEqualTo(2);
        append(second, 1);
        second.commit(1);
        assertThat(second.position()).isEqualTo(7);
    }

    @Test
    void aPageIsExchangedForOneWithTheSameContents() {
        SequenceState first = filled(8);
        SequenceState second = filled(8);
        second.exchangePage(0, first.page(0));
        assertThat(pool.snapshot().pagesUsed()).isEqualTo(3);
        second.close();
        assertThat(pool.snapshot().pagesUsed()).isEqualTo(2);
    }

    @Test
    void theStateAfterOneRowOfAStepIsKeptBesideTheLast() {
        SequenceState state = pool.acquire(20);
        rows.clear();
        state.prepareKeeping(rows, TOKENS, 0, 7, 4, LogitsMode.LAST);
        assertThat(rows.planeOut(3)).isNotZero();
        assertThat(new long[] {rows.planeIn(0), rows.planeOut(3), rows.planeOut(6)}).doesNotHaveDuplicates();
        long kept = rows.planeOut(3);
        assertThat(state.planeAt(4)).as("before the commit").isZero();
        state.commit(7);
        assertThat(state.planeAt(4)).isEqualTo(kept);
        assertThat(state.planeAt(5)).isZero();
        assertThat(state.planeAt(7)).isEqualTo(rows.planeOut(6));
        append(state, 1);
        state.commit(1);
        assertThat(state.planeAt(4)).isZero();
    }
}
