package dev.ringside.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.StepRows;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SequenceStateTest {

    private static final int[] TOKENS = {7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};

    private final DeferredBackend backend = new DeferredBackend(1, DeferredBackend.Pace.LAZY, true);
    private final GpuStream stream = backend.createStream();
    private final StatePool pool = new StatePool(backend, stream, layout(), new StateBudget(2, 4, 5));
    private final StepRows rows = new StepRows(16);

    private static StateLayout layout() {
        StateLayout.Builder builder = StateLayout.builder(4);
        builder.positional("keys", 300);
        builder.recurrent("delta", 100);
        return builder.build();
    }

    @AfterEach
    void close() {
        pool.close();
        pool.close();
        assertThat(backend.memory().allocatedBytes()).isZero();
        backend.close();
        assertThat(backend.violations()).isEmpty();
    }

    private void step(SequenceState state, int from, int count, boolean snapshot) {
        rows.clear();
        state.prepare(rows, TOKENS, from, count, snapshot, LogitsMode.LAST);
    }

    private void fillPlane(long address, int value) {
        backend.launch(stream, () -> backend.bytes(address, layout().planeBytes()).fill((byte) value));
    }

    private int firstOfPlane(long address) {
        backend.drain();
        return backend.bytes(address, 1).get(ValueLayout.JAVA_BYTE, 0);
    }

    @Test
    void rowsCarryTokensPositionsAndPages() {
        SequenceState state = pool.acquire(20);
        step(state, 0, 3, false);
        state.commit(3);
        step(state, 3, 2, false);
        assertThat(rows.segments()).isEqualTo(1);
        assertThat(rows.token(1)).isEqualTo(11);
        assertThat(rows.position(0)).isEqualTo(3);
        assertThat(rows.position(1)).isEqualTo(4);
        assertThat(rows.page(0, 0)).isNotEqualTo(rows.page(0, 1)).isNotZero();
        assertThat(state.pageCount()).isEqualTo(2);
        assertThat(state.token(4)).isEqualTo(11);
    }

    @Test
    void logitsAreAskedForAsTheModeSays() {
        SequenceState state = pool.acquire(20);
        state.prepare(rows, TOKENS, 0, 3, true, LogitsMode.ALL);
        assertThat(rows.logitRows()).isEqualTo(3);
        state.rollback();
        rows.clear();
        state.prepare(rows, TOKENS, 0, 3, false, LogitsMode.LAST);
        assertThat(rows.logitRows()).isEqualTo(1);
        assertThat(rows.logitRow(0)).isEqualTo(2);
        state.rollback();
        rows.clear();
        state.prepare(rows, TOKENS, 0, 3, false, LogitsMode.NONE);
        assertThat(rows.logitRows()).isZero();
    }

    @Test
    void withoutSnapshotOnlyTheLastRowKeepsItsState() {
        SequenceState state = pool.acquire(20);
        step(state, 0, 6, false);
        for (int row = 0; row < 5; row++) {
            assertThat(rows.planeOut(row)).isZero();
        }
        assertThat(rows.planeOut(5)).isNotZero().isNotEqualTo(rows.planeIn(0));
        long last = rows.planeOut(5);
        state.commit(6);
        step(state, 6, 1, false);
        assertThat(rows.planeIn(0)).isEqualTo(last);
    }

    @Test
    void commitOfSomeRowsContinuesFromTheStateBehindThem() {
        SequenceState state = pool.acquire(20);
        step(state, 0, 3, true);
        assertThat(new long[] {rows.planeIn(0), rows.planeOut(0), rows.planeOut(1), rows.planeOut(2)}).doesNotHaveDuplicates()
                .doesNotContain(0);
        long second = rows.planeOut(1);
        state.commit(2);
        assertThat(state.position()).isEqualTo(2);
        step(state, 5, 3, true);
        assertThat(rows.planeIn(0)).isEqualTo(second);
        assertThat(rows.token(0)).isEqualTo(12);
        assertThat(rows.position(0)).isEqualTo(2);
    }

    @Test
    void commitOfSomeRowsNeedsSnapshotsAndChangesNothingWithoutThem() {
        SequenceState state = pool.acquire(20);
        step(state, 0, 3, false);
        assertThatThrownBy(() -> state.commit(2)).isInstanceOf(IllegalStateException.class).hasMessageContaining("2 of 3 rows");
        assertThatThrownBy(() -> state.commit(4)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> state.commit(0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(state.preparedRows()).isEqualTo(3);
        state.commit(3);
        assertThat(state.position()).isEqualTo(3);
    }

    @Test
    void rollbackLeavesEverythingAsItWas() {
        SequenceState state = pool.acquire(20);
        step(state, 0, 3, false);
        state.commit(3);
        long bytes = state.stateBytes();
        step(state, 3, 9, false);
        assertThat(pool.snapshot().pagesUsed()).isEqualTo(3);
        long plane = rows.planeIn(0);
        state.rollback();
        assertThat(state.position()).isEqualTo(3);
        assertThat(state.stateBytes()).isEqualTo(bytes);
        assertThat(pool.snapshot().pagesUsed()).isEqualTo(1);
        assertThatThrownBy(() -> state.token(3)).isInstanceOf(IndexOutOfBoundsException.class);
        step(state, 0, 1, false);
        assertThat(rows.planeIn(0)).isEqualTo(plane);
        assertThat(rows.position(0)).isEqualTo(3);
    }

    @Test
    void pagesBeyondTheCommittedRowsGoBack() {
        SequenceState state = pool.acquire(20);
        step(state, 0, 3, true);
        state.commit(3);
        step(state, 3, 3, true);
        assertThat(state.pageCount()).isEqualTo(2);
        state.commit(1);
        assertThat(state.pageCount()).isEqualTo(1);
    }

    @Test
    void newAndResetSequencesStartFromZeroedRecurrentState() {
        SequenceState state = pool.acquire(20);
        step(state, 0, 1, false);
        fillPlane(rows.planeOut(0), 1);
        state.commit(1);
        step(state, 1, 1, false);
        assertThat(firstOfPlane(rows.planeIn(0))).isEqualTo(1);
        state.reset();
        assertThat(state.position()).isZero();
        assertThat(pool.snapshot().pagesUsed()).isZero();
        step(state, 0, 1, false);
        assertThat(firstOfPlane(rows.planeIn(0))).isZero();
        fillPlane(rows.planeOut(0), 2);
        state.commit(1);
        state.close();
        SequenceState next = pool.acquire(20);
        step(next, 0, 1, false);
        assertThat(firstOfPlane(rows.planeIn(0))).isZero();
    }

    @Test
    void severalSequencesShareAStep() {
        SequenceState first = pool.acquire(8);
        SequenceState second = pool.acquire(8);
        rows.clear();
        first.prepare(rows, TOKENS, 0, 3, false, LogitsMode.NONE);
        second.prepare(rows, TOKENS, 3, 2, true, LogitsMode.ALL);
        assertThat(rows.segments()).isEqualTo(2);
        assertThat(rows.firstRow(1)).isEqualTo(3);
        assertThat(rows.page(0, 0)).isNotEqualTo(rows.page(1, 0));
        assertThat(rows.planeIn(0)).isNotEqualTo(rows.planeIn(1));
    }

    @Test
    void misuseIsRefused() {
        SequenceState state = pool.acquire(10);
        assertThatThrownBy(() -> state.commit(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(state::rollback).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> step(state, 0, 4, true)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 3 rows");
        assertThatThrownBy(() -> step(state, 0, 11, false)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit of 10");
        assertThatThrownBy(() -> step(state, 0, 0, false)).isInstanceOf(IllegalArgumentException.class);
        step(state, 0, 1, false);
        assertThatThrownBy(() -> step(state, 1, 1, false)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("prepared already");
        state.close();
        state.close();
        assertThatThrownBy(() -> step(state, 0, 1, false)).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        assertThat(pool.freeSequences()).isEqualTo(2);
    }

    @Test
    void stepWithoutRoomIsLeftAsItWas() {
        StepRows small = new StepRows(2);
        SequenceState state = pool.acquire(10);
        assertThatThrownBy(() -> state.prepare(small, TOKENS, 0, 3, false, LogitsMode.LAST)).isInstanceOf(IllegalStateException.class);
        assertThat(small.segments()).isZero();
        assertThat(state.pageCount()).isZero();
    }

    @Test
    void exhaustedPoolNamesTheNumbersAndHarmsNobody() {
        SequenceState first = pool.acquire(20);
        SequenceState second = pool.acquire(20);
        assertThat(pool.tryAcquire(1)).isNull();
        assertThatThrownBy(() -> pool.acquire(1)).isInstanceOf(StateExhaustedException.class).hasMessageContaining("All 2 sequences");
        step(first, 0, 12, false);
        first.commit(12);
        assertThatThrownBy(() -> step(second, 0, 9, false)).isInstanceOf(StateExhaustedException.class)
                .hasMessageContaining("3 more pages").hasMessageContaining("2 of 5 are free");
        assertThat(rows.rows()).isZero();
        step(second, 0, 8, false);
        second.commit(8);
        assertThat(pool.freePages()).isZero();
        assertThatThrownBy(() -> pool.acquire(21)).isInstanceOf(StateExhaustedException.class).hasMessageContaining("needs 6 pages");
    }

    @Test
    void deviceThatRefusesZeroingLosesNoSequence() {
        backend.failWhen(call -> call.equals("zero"));
        assertThatThrownBy(() -> pool.acquire(4)).isInstanceOf(DeviceException.class);
        backend.failNever();
        assertThat(pool.freeSequences()).isEqualTo(2);
        SequenceState state = pool.acquire(4);
        step(state, 0, 2, false);
        state.commit(2);
        backend.failWhen(call -> call.equals("zero"));
        assertThatThrownBy(state::reset).isInstanceOf(DeviceException.class);
        backend.failNever();
        assertThat(state.position()).isEqualTo(2);
    }

    @Test
    void poolThatCannotHaveItsPlanesKeepsNothing() {
        long before = backend.memory().allocatedBytes();
        int[] calls = new int[1];
        backend.failWhen(call -> call.equals("allocate") && ++calls[0] == 2);
        assertThatThrownBy(() -> new StatePool(backend, stream, layout(), new StateBudget(1, 2, 1))).isInstanceOf(DeviceException.class);
        backend.failNever();
        assertThat(backend.memory().allocatedBytes()).isEqualTo(before);
    }

    @Test
    void snapshotCountsBytesExactly() {
        SequenceState state = pool.acquire(20);
        step(state, 0, 5, false);
        StateSnapshot held = pool.snapshot();
        assertThat(held.sequences()).isEqualTo(1);
        assertThat(held.pagesUsed()).isEqualTo(2);
        assertThat(held.bytesUsed()).isEqualTo(2 * 512 + 4 * 256).isEqualTo(state.stateBytes()).isEqualTo(pool.bytesFor(5));
        assertThat(held.bytesTotal()).isEqualTo(5 * 512 + 2 * 4 * 256).isEqualTo(backend.memory().allocatedBytes());
    }

    @Test
    void preparingAndCommittingAllocateNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int rounds = 12_000;
        try (StatePool large = new StatePool(backend, stream, layout(), new StateBudget(1, 4, 3L * rounds));
                SequenceState state = large.acquire(3 * rounds)) {
            // Grows the sequence's own arrays once.
            StepRows most = new StepRows(3 * rounds);
            state.prepare(most, new int[3 * rounds], 0, 3 * rounds, false, LogitsMode.NONE);
            state.rollback();
            long before = 0;
            for (int round = 0; round < rounds; round++) {
                if (round == 2_000) {
                    before = threads.getCurrentThreadAllocatedBytes();
                }
                rows.clear();
                state.prepare(rows, TOKENS, 0, 3, true, LogitsMode.ALL);
                if (round % 4 == 3) {
                    state.rollback();
                } else {
                    state.commit(1 + round % 3);
                }
            }
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(rounds);
        }
    }
}
