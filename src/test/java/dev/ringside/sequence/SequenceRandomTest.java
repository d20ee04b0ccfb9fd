package dev.ringside.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.StepRows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random histories of prepares, commits, rollbacks, resets and closes over sequences that share steps, against what each sequence's tokens
 * alone imply. Simulated kernels keep a hash of all tokens in the recurrent plane and every token in the pages.
 */
class SequenceRandomTest {

    private static final int PAGE_TOKENS = 4;
    private static final int PLANES = 4;
    private static final int MAX_SEQUENCES = 6;

    /** A live sequence and the tokens it must hold. */
    private record Model(SequenceState state, List<Integer> tokens) {}

    private final DeferredBackend backend = new DeferredBackend(3, DeferredBackend.Pace.RANDOM, true);
    private final GpuStream stream = backend.createStream();
    private long stateOffset;
    private long rowsOffset;

    static LongStream seeds() {
        Long given = Long.getLong("ringside.test.seed");
        return given == null ? LongStream.rangeClosed(1, Integer.getInteger("ringside.test.seeds", 20)) : LongStream.of(given);
    }

    private StatePool pool() {
        StateLayout.Builder builder = StateLayout.builder(PAGE_TOKENS);
        builder.recurrent("other", 40);
        stateOffset = builder.recurrent("hash", 8);
        builder.positional("other.rows", 40);
        rowsOffset = builder.positional("rows", 4 * PAGE_TOKENS);
        return new StatePool(backend, stream, builder.build(), new StateBudget(MAX_SEQUENCES, PLANES, 40));
    }

    /** Enqueues kernels for the rows of a step, as a model would; a token is stored as token + 1 so that it differs from zeroed memory. */
    private void run(StepRows rows) {
        for (int segment = 0; segment < rows.segments(); segment++) {
            Set<Long> written = new HashSet<>();
            for (int row = rows.firstRow(segment); row < rows.firstRow(segment) + rows.rowCount(segment); row++) {
                written.add(rows.planeOut(row));
            }
            assertThat(written).as("planes a step writes").doesNotContain(rows.planeIn(segment));
        }
        long[] planeIn = new long[rows.rows()];
        for (int row = 0; row < rows.rows(); row++) {
            planeIn[row] = rows.planeIn(rows.segmentOf(row));
        }
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
            long in = planeIn[first];
            backend.launch(stream, () -> {
                long hash = backend.bytes(in + stateOffset, 8).get(ValueLayout.JAVA_LONG, 0);
                for (int i = 0; i < count; i++) {
                    hash = hash * 31 + tokens[i] + 1;
                    backend.bytes(slots[i], 4).set(ValueLayout.JAVA_INT, 0, tokens[i]);
                    if (out[i] != 0) {
                        backend.bytes(out[i] + stateOffset, 8).set(ValueLayout.JAVA_LONG, 0, hash);
                    }
                }
            });
        }
    }

    private void check(Model model, long seed) {
        backend.drain();
        SequenceState state = model.state;
        assertThat(state.position()).as("seed %d", seed).isEqualTo(model.tokens.size());
        long hash = 0;
        for (int i = 0; i < model.tokens.size(); i++) {
            int token = model.tokens.get(i);
            hash = hash * 31 + token + 1;
            assertThat(state.token(i)).as("seed %d", seed).isEqualTo(token);
            MemorySegment row = backend.bytes(state.page(i / PAGE_TOKENS) + rowsOffset + 4L * (i % PAGE_TOKENS), 4);
            assertThat(row.get(ValueLayout.JAVA_INT, 0)).as("seed %d, position %d", seed, i).isEqualTo(token);
        }
        assertThat(backend.bytes(state.planeIn() + stateOffset, 8).get(ValueLayout.JAVA_LONG, 0)).as("seed %d", seed).isEqualTo(hash);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void historyNeverShowsInASequence(long seed) {
        Random random = new Random(seed);
        StatePool pool = pool();
        List<Model> live = new ArrayList<>();
        StepRows rows = new StepRows(24);
        int started = 0;
        while (started < 50 || !live.isEmpty()) {
            if (started < 50 && random.nextInt(3) == 0) {
                SequenceState state = pool.tryAcquire(40);
                assertThat(state == null).as("seed %d", seed).isEqualTo(live.size() == MAX_SEQUENCES);
                if (state != null) {
                    live.add(new Model(state, new ArrayList<>()));
                    started++;
                }
            }
            step(random, live, rows);
            if (!live.isEmpty()) {
                Model model = live.get(random.nextInt(live.size()));
                switch (random.nextInt(started < 50 ? 12 : 4)) {
                    case 0 -> {
                        model.state.reset();
                        model.tokens.clear();
                    }
                    case 1 -> {
                        model.state.close();
                        live.remove(model);
                    }
                    case 2 -> check(model, seed);
                    default -> {
                    }
                }
            }
            long pages = live.stream().mapToLong(each -> each.state.pageCount()).sum();
            assertThat(pool.snapshot().pagesUsed()).as("seed %d", seed).isEqualTo(pages);
            assertThat(pool.snapshot().bytesUsed()).as("seed %d", seed)
                    .isEqualTo(live.stream().mapToLong(each -> each.state.stateBytes()).sum());
        }
        assertThat(pool.snapshot().pagesUsed()).as("seed %d", seed).isZero();
        assertThat(pool.snapshot().bytesUsed()).as("seed %d", seed).isZero();
        assertThat(pool.freePages()).as("seed %d", seed).isEqualTo(40);
        pool.close();
        backend.close();
        assertThat(backend.violations()).as("seed %d", seed).isEmpty();
    }

    /** One step of a random part of the sequences; each then commits all, some or none of its rows. */
    private void step(Random random, List<Model> live, StepRows rows) {
        rows.clear();
        List<Model> stepping = new ArrayList<>();
        for (Model model : live) {
            int count = 1 + random.nextInt(random.nextInt(4) == 0 ? 7 : PLANES - 1);
            if (random.nextInt(3) == 0 || count > 40 - model.tokens.size() || rows.rows() + count > rows.maxRows()) {
                continue;
            }
            int[] tokens = random.ints(count, 0, 1000).toArray();
            try {
                model.state.prepare(rows, tokens, 0, count, count < PLANES && random.nextBoolean(), LogitsMode.LAST);
                stepping.add(model);
            } catch (StateExhaustedException e) {
                assertThat(model.state.preparedRows()).isZero();
            }
        }
        run(rows);
        for (Model model : stepping) {
            int prepared = model.state.preparedRows();
            List<Integer> tokens = new ArrayList<>();
            for (int i = 0; i < prepared; i++) {
                tokens.add(model.state.token(model.tokens.size() + i));
            }
            int n = random.nextInt(prepared + 1);
            if (n == 0) {
                model.state.rollback();
                continue;
            }
            try {
                model.state.commit(n);
            } catch (IllegalStateException e) {
                // The step kept no snapshots: all rows or none.
                n = prepared;
                model.state.commit(n);
            }
            model.tokens.addAll(tokens.subList(0, n));
        }
    }
}
