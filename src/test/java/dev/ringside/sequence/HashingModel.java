package dev.ringside.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.StepRows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Simulated kernels over a pool: a hash of all tokens in the recurrent plane, every token in the pages. */
final class HashingModel implements AutoCloseable {

    static final int PAGE_TOKENS = 4;
    static final CheckpointIdentity IDENTITY = new CheckpointIdentity(77, KvType.F16);

    final DeferredBackend backend;
    final StatePool pool;
    final StepRows rows = new StepRows(200);
    private final GpuStream stream;
    private final boolean recurrent;
    private final long stateOffset;
    private final long rowsOffset;

    HashingModel(int sequences, int pages, boolean recurrent) {
        this(sequences, pages, recurrent, DeferredBackend.Pace.LAZY);
    }

    HashingModel(int sequences, int pages, boolean recurrent, DeferredBackend.Pace pace) {
        this.backend = new DeferredBackend(5, pace, true);
        this.stream = backend.createStream();
        this.recurrent = recurrent;
        StateLayout.Builder builder = StateLayout.builder(PAGE_TOKENS);
        builder.positional("other", 40);
        rowsOffset = builder.positional("rows", 4 * PAGE_TOKENS);
        stateOffset = recurrent ? builder.recurrent("hash", 8) : 0;
        this.pool = new StatePool(backend, stream, builder.build(), new StateBudget(sequences, 3, pages));
    }

    /** Computes tokens, committing in steps of at most {@code chunk}. */
    void feed(SequenceState state, int[] tokens, int from, int to, int chunk) {
        for (int at = from; at < to; at += chunk) {
            int count = Math.min(chunk, to - at);
            rows.clear();
            state.prepare(rows, tokens, at, count, false, LogitsMode.LAST);
            launch();
            state.commit(count);
        }
    }

    /** Enqueues the kernels of the prepared step. */
    void launch() {
        for (int segment = 0; segment < rows.segments(); segment++) {
            int first = rows.firstRow(segment);
            int count = rows.rowCount(segment);
            int[] tokens = new int[count];
            long[] out = new long[count];
            long[] slots = new long[count];
            for (int i = 0; i < count; i++) {
                tokens[i] = rows.token(first + i);
                out[i] = rows.planeOut(first + i);
                int position = rows.position(first + i);
                slots[i] = rows.page(segment, position / PAGE_TOKENS) + rowsOffset + 4L * (position % PAGE_TOKENS);
            }
            long in = rows.planeIn(segment);
            backend.launch(stream, () -> {
                long hash = recurrent ? backend.bytes(in + stateOffset, 8).get(ValueLayout.JAVA_LONG, 0) : 0;
                for (int i = 0; i < count; i++) {
                    hash = hash * 31 + tokens[i] + 1;
                    backend.bytes(slots[i], 4).set(ValueLayout.JAVA_INT, 0, tokens[i]);
                    if (recurrent && out[i] != 0) {
                        backend.bytes(out[i] + stateOffset, 8).set(ValueLayout.JAVA_LONG, 0, hash);
                    }
                }
            });
        }
    }

    /** The sequence holds what its tokens alone imply. */
    void requireHolds(SequenceState state, int[] tokens, int count, String circumstances) {
        backend.drain();
        assertThat(state.position()).as(circumstances).isEqualTo(count);
        long hash = 0;
        for (int i = 0; i < count; i++) {
            hash = hash * 31 + tokens[i] + 1;
            assertThat(state.token(i)).as(circumstances).isEqualTo(tokens[i]);
            MemorySegment row = backend.bytes(state.page(i / PAGE_TOKENS) + rowsOffset + 4L * (i % PAGE_TOKENS), 4);
            assertThat(row.get(ValueLayout.JAVA_INT, 0)).as("%s, position %d", circumstances, i).isEqualTo(tokens[i]);
        }
        if (recurrent) {
            assertThat(backend.bytes(state.planeIn() + stateOffset, 8).get(ValueLayout.JAVA_LONG, 0)).as(circumstances).isEqualTo(hash);
        }
    }

    /** Runs a prompt as the engine does: behind the longest prefix, keeping boundaries. Returns where it began. */
    int run(PrefixStore store, int[] prompt, int... boundaries) {
        try (SequenceState state = pool.acquire(prompt.length + 4)) {
            int start = store.restore(state, prompt);
            requireHolds(state, prompt, start, "restored");
            int[] ends = Arrays.copyOf(boundaries, boundaries.length + 1);
            ends[boundaries.length] = prompt.length;
            int at = start;
            for (int end : ends) {
                if (end > at) {
                    feed(state, prompt, at, end, 1000);
                    at = end;
                    if (end < prompt.length) {
                        store.save(state, end);
                    }
                }
            }
            requireHolds(state, prompt, prompt.length, "complete");
            return start;
        }
    }

    @Override
    public void close() {
        pool.close();
        backend.close();
        assertThat(backend.violations()).isEmpty();
    }
}
