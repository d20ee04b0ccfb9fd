package dev.ringside.engine;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;
import dev.ringside.model.LanguageModel;
import dev.ringside.model.ModelInfo;
import dev.ringside.sequence.StateLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A model whose only state is a hash of all tokens so far, kept in the recurrent plane like any other state: a row lost, doubled or given to
 * the wrong sequence changes every token after it.
 */
public final class FakeModel implements LanguageModel {

    /** Chooses the next token from what a row knows. */
    public interface Rule {

        int next(long hash, int position, int token);
    }

    private final int vocabulary;
    private final int contextLength;
    private final Rule rule;
    private final StateLayout stateLayout;
    private final GpuStream stream = new DoneStream();
    /** Called with the rows of each step before it is computed; may block or throw. */
    private volatile Consumer<StepRows> before = _ -> {
    };
    private volatile int nanToken = -1;
    private volatile float peak = 12;
    private final List<int[]> steps = new ArrayList<>();

    public FakeModel(int vocabulary, int contextLength, Rule rule) {
        this.vocabulary = vocabulary;
        this.contextLength = contextLength;
        this.rule = rule;
        StateLayout.Builder layout = StateLayout.builder(4);
        layout.positional("tokens", 16);
        layout.recurrent("hash", 8);
        this.stateLayout = layout.build();
    }

    /** Any token but the last follows, by the hash. */
    public static Rule byHash(int vocabulary) {
        return (hash, _, _) -> (int) Long.remainderUnsigned(hash >>> 8, vocabulary - 1);
    }

    /** Token 0 is followed by 1, that by 2 and so on. */
    public static Rule counting() {
        return (_, _, token) -> token + 1;
    }

    public void beforeEachStep(Consumer<StepRows> action) {
        before = action;
    }

    /** The logit of the chosen token; the others have 0 to 4. */
    public void peak(float logit) {
        peak = logit;
    }

    /** Rows of this token get NaN logits. */
    public void poison(int token) {
        nanToken = token;
    }

    /** Row counts of the segments of every step so far. */
    public List<int[]> steps() {
        synchronized (steps) {
            return List.copyOf(steps);
        }
    }

    /** A stream on which everything has always happened. */
    private static final class DoneStream implements GpuStream {

        @Override
        public void synchronize() {}

        @Override
        public void close() {}
    }

    @Override
    public GpuStream stream() {
        return stream;
    }

    @Override
    public ModelInfo info() {
        return new ModelInfo("fake", "fake", contextLength, vocabulary, 1, 1, 0, 0, 0, 0, 0);
    }

    @Override
    public StateLayout stateLayout() {
        return stateLayout;
    }

    @Override
    public void forward(StepRows rows, PinnedBuffer logits) {
        before.accept(rows);
        rows.requireWanted();
        int[] counts = new int[rows.segments()];
        int logitIndex = 0;
        for (int segment = 0; segment < rows.segments(); segment++) {
            counts[segment] = rows.rowCount(segment);
            long hash = plane(rows.planeIn(segment)).get(JAVA_LONG, 0);
            for (int row = rows.firstRow(segment); row < rows.firstRow(segment + 1); row++) {
                hash = mix(hash, rows.token(row) + ((long) rows.position(row) << 32));
                if (rows.planeOut(row) != 0) {
                    plane(rows.planeOut(row)).set(JAVA_LONG, 0, hash);
                }
                if (logitIndex < rows.logitRows() && rows.logitRow(logitIndex) == row) {
                    write(logits.memory(), logitIndex++, hash, rows.position(row), rows.token(row));
                }
            }
        }
        synchronized (steps) {
            steps.add(counts);
        }
    }

    private void write(MemorySegment logits, int index, long hash, int position, int token) {
        long first = (long) index * vocabulary;
        int chosen = rule.next(hash, position, token);
        for (int i = 0; i < vocabulary; i++) {
            float value = i == chosen ? peak : (mix(hash, i) & 0xFF) / 64f;
            logits.setAtIndex(JAVA_FLOAT, first + i, token == nanToken ? Float.NaN : value);
        }
    }

    private static long mix(long hash, long value) {
        long z = (hash ^ value) * 0x9E3779B97F4A7C15L + 0x632BE59BD9B4E019L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        return z ^ (z >>> 31);
    }

    private static MemorySegment plane(long address) {
        return MemorySegment.ofAddress(address).reinterpret(8);
    }

    @Override
    public void close() {}

    /** Whether a step holds a row of the token. */
    public static boolean holds(StepRows rows, int token) {
        for (int row = 0; row < rows.rows(); row++) {
            if (rows.token(row) == token) {
                return true;
            }
        }
        return false;
    }
}
