package dev.ringside.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.StepRows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CheckpointTest {

    private static final CheckpointIdentity IDENTITY = new CheckpointIdentity(0xABCDL, KvType.F16);
    private static final int[] TOKENS = new Random(1).ints(40, 0, 1000).toArray();

    private final DeferredBackend backend = new DeferredBackend(1, DeferredBackend.Pace.LAZY, true);
    private final GpuStream stream = backend.createStream();
    private final StatePool pool = pool(layout(4, 300, "delta"));
    private final StepRows rows = new StepRows(40);

    private static StateLayout layout(int pageTokens, long keyBytes, String recurrent) {
        StateLayout.Builder builder = StateLayout.builder(pageTokens);
        builder.positional("keys", keyBytes);
        builder.recurrent(recurrent, 100);
        builder.positional("values", 44);
        builder.recurrent("history", 260);
        return builder.build();
    }

    private StatePool pool(StateLayout layout) {
        return new StatePool(backend, stream, layout, new StateBudget(2, 3, 8));
    }

    @AfterEach
    void close() {
        backend.drain();
        backend.close();
        assertThat(backend.violations()).isEmpty();
    }

    /** A sequence whose pages and plane hold random bytes. */
    private SequenceState filled(StatePool from, int positions) {
        SequenceState state = from.acquire(20);
        rows.clear();
        state.prepare(rows, TOKENS, 0, positions, false, LogitsMode.LAST);
        state.commit(positions);
        Random random = new Random(positions);
        for (int i = 0; i < state.pageCount(); i++) {
            scribble(random, state.page(i), from.layout().pageBytes());
        }
        scribble(random, state.planeIn(), from.layout().planeBytes());
        return state;
    }

    private void scribble(Random random, long address, long bytes) {
        byte[] noise = new byte[(int) bytes];
        random.nextBytes(noise);
        backend.launch(stream, () -> backend.bytes(address, bytes).copyFrom(MemorySegment.ofArray(noise)));
    }

    private byte[] image(SequenceState state) {
        try (Checkpoint checkpoint = Checkpoint.save(state, IDENTITY)) {
            return checkpoint.payload().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Test
    void everyRegionComesBackByteForByte() {
        for (int position : new int[] {1, 3, 4, 5, 8, 13}) {
            SequenceState state = filled(pool, position);
            Checkpoint checkpoint = Checkpoint.save(state, IDENTITY, 5, 6);
            byte[] before = image(state);
            state.close();
            SequenceState other = filled(pool, 7);
            checkpoint.restore(other, IDENTITY);
            checkpoint.close();
            assertThat(other.position()).isEqualTo(position);
            assertThat(image(other)).isEqualTo(before);
            assertThat(checkpoint.random()).containsExactly(5, 6);
            for (int i = 0; i < position; i++) {
                assertThat(other.token(i)).isEqualTo(TOKENS[i]);
            }
            other.close();
            assertThat(pool.freePages()).isEqualTo(8);
        }
    }

    @Test
    void itsSizeIsKnownBeforehand() {
        SequenceState state = filled(pool, 9);
        try (Checkpoint checkpoint = Checkpoint.save(state, IDENTITY)) {
            assertThat(checkpoint.bytes()).isEqualTo(3 * 344 + 360).isEqualTo(pool.layout().payloadBytesAt(9));
            assertThat(checkpoint.memoryBytes()).isEqualTo(checkpoint.bytes());
        }
    }

    @Test
    void savingAgainUsesTheSameMemory() {
        SequenceState state = filled(pool, 9);
        Checkpoint first = Checkpoint.save(state, IDENTITY);
        long address = first.payload().address();
        SequenceState shorter = filled(pool, 5);
        Checkpoint second = first.saveInto(shorter, IDENTITY);
        assertThat(second.payload().address()).isEqualTo(address);
        assertThat(second.position()).isEqualTo(5);
        state.close();
        second.restore(pool.acquire(20), IDENTITY);
        Checkpoint third = second.saveInto(filledAfter(shorter), IDENTITY);
        assertThat(third.position()).isEqualTo(14);
        third.close();
    }

    private SequenceState filledAfter(SequenceState closed) {
        closed.close();
        return filled(pool, 14);
    }

    @Test
    void aPreparedStepCanBeNeitherSavedNorReplaced() {
        SequenceState state = filled(pool, 3);
        try (Checkpoint checkpoint = Checkpoint.save(state, IDENTITY)) {
            rows.clear();
            state.prepare(rows, TOKENS, 0, 1, false, LogitsMode.LAST);
            assertThatThrownBy(() -> Checkpoint.save(state, IDENTITY)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> checkpoint.restore(state, IDENTITY)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void whatDiffersIsNamedAndTheLiveStateStays() {
        SequenceState state = filled(pool, 6);
        try (Checkpoint checkpoint = Checkpoint.save(state, IDENTITY)) {
            state.close();
            refused(pool, checkpoint, new CheckpointIdentity(0xABCEL, KvType.F16), "another model: fingerprint abcd, expected abce");
            refused(pool, checkpoint, new CheckpointIdentity(0xABCDL, KvType.F32), "ringside.kv.type is F16, expected F32");
            refused(pool(layout(8, 300, "delta")), checkpoint, IDENTITY, "ringside.kv.page-tokens is 4, expected 8");
            refused(pool(layout(4, 301, "delta")), checkpoint, IDENTITY, "Region 'keys' of the checkpoint has 600 bytes, expected 602");
            refused(pool(layout(4, 300, "gamma")), checkpoint, IDENTITY, "region 'delta' where the recurrent region 'gamma'");
            checkpoint.payload().set(ValueLayout.JAVA_BYTE, 620, (byte) (1 ^ checkpoint.payload().get(ValueLayout.JAVA_BYTE, 620)));
            refused(pool, checkpoint, IDENTITY, "Region 'delta' of the checkpoint is damaged: CRC32C");
        }
    }

    private void refused(StatePool into, Checkpoint checkpoint, CheckpointIdentity identity, String message) {
        SequenceState live = filled(into, 5);
        byte[] before = image(live);
        assertThatThrownBy(() -> checkpoint.restore(live, identity)).isInstanceOf(CheckpointException.class).hasMessageContaining(message);
        assertThat(live.position()).isEqualTo(5);
        assertThat(image(live)).isEqualTo(before);
        live.close();
        assertThat(into.freePages()).isEqualTo(8);
    }

    @Test
    void aSequenceOrPoolWithoutRoomIsLeftAsItWas() {
        SequenceState state = filled(pool, 20);
        try (Checkpoint checkpoint = Checkpoint.save(state, IDENTITY)) {
            SequenceState small = pool.acquire(19);
            assertThatThrownBy(() -> checkpoint.restore(small, IDENTITY)).isInstanceOf(StateExhaustedException.class)
                    .hasMessageContaining("at most 19");
            small.close();
            SequenceState second = filled(pool, 1);
            assertThatThrownBy(() -> checkpoint.restore(second, IDENTITY)).isInstanceOf(StateExhaustedException.class)
                    .hasMessageContaining("5 more pages");
            assertThat(second.position()).isEqualTo(1);
            assertThat(pool.freePages()).isEqualTo(2);
        }
    }

    @Test
    void aDeviceThatFailsHalfWayLeavesTheLiveState() {
        SequenceState state = filled(pool, 10);
        try (Checkpoint checkpoint = Checkpoint.save(state, IDENTITY)) {
            state.close();
            SequenceState live = filled(pool, 5);
            byte[] before = image(live);
            for (int failing = 1; failing <= 8; failing++) {
                int[] calls = {failing};
                backend.failWhen(call -> call.equals("copyToDevice") && --calls[0] == 0);
                assertThatThrownBy(() -> checkpoint.restore(live, IDENTITY)).isInstanceOf(DeviceException.class);
                backend.failNever();
                assertThat(live.position()).isEqualTo(5);
                assertThat(image(live)).isEqualTo(before);
                assertThat(pool.freePages()).isEqualTo(6);
            }
            backend.failWhen(call -> call.equals("copyToHost"));
            assertThatThrownBy(() -> Checkpoint.save(live, IDENTITY)).isInstanceOf(DeviceException.class);
            backend.failNever();
            assertThat(image(live)).isEqualTo(before);
        }
    }

    @Test
    void pagesThatAreOnTheDeviceAlreadyAreSharedInsteadOfCopied() {
        SequenceState state = filled(pool, 10);
        try (Checkpoint checkpoint = Checkpoint.save(state, IDENTITY)) {
            SequenceState other = pool.acquire(20);
            checkpoint.restore(other, IDENTITY, new long[] {state.page(0), state.page(1)});
            assertThat(pool.snapshot().pagesUsed()).isEqualTo(4);
            assertThat(image(other)).isEqualTo(image(state));
        }
    }
}
