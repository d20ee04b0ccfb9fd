package dev.ringside.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.KvType;
import dev.ringside.gpu.StepRows;
import dev.ringside.model.DraftHead;
import dev.ringside.model.Experts;
import dev.ringside.model.ModelHarness;
import dev.ringside.model.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The law of sequence state: any interleaving of rejected rows, abandoned steps, resets, suspensions, restores, shared prefixes, batch mates
 * and chunk sizes gives the logits, bit for bit, of never having done any of it.
 */
class BitLawTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 20_261_130L);
    private static final int SEQUENCES = 3;
    private static final int ACTIONS = 60;
    private static final int MAX_ROWS = 150;

    static Stream<Arguments> modelsAndTypes() {
        return Stream.of("qwen4exp", "qwen3moe", "qwen3next", "qwen35moe")
                .flatMap(model -> Stream.of(KvType.values()).map(type -> Arguments.of(model, type)));
    }

    /** A stream of tokens, the logits behind each of them, and a sequence on its way through it. */
    private static final class Track {

        final int[] tokens;
        final List<float[]> expected;
        /** Logits of the draft block behind each token but the last; empty without one. */
        final List<float[]> expectedDrafts;
        @Nullable
        SequenceState state;
        @Nullable
        Checkpoint checkpoint;
        int done;

        Track(int[] tokens, List<float[]> expected, List<float[]> expectedDrafts) {
            this.tokens = tokens;
            this.expected = expected;
            this.expectedDrafts = expectedDrafts;
        }

        /** The token that comes next; any where the stream ends. */
        int next() {
            return done < tokens.length ? tokens[done] : 0;
        }
    }

    /** What a track does in a step. */
    private record Part(Track track, int rows, int accepted, boolean snapshot, int logitsFrom) {

        /** Every row has logits. */
        int firstRow() {
            return logitsFrom;
        }
    }

    @ParameterizedTest
    @MethodSource("modelsAndTypes")
    void whatHappensToASequenceNeverShowsInItsLogits(String model, KvType type) {
        Random random = new Random(SEED + 31L * model.hashCode() + type.name().hashCode());
        CheckpointIdentity identity = new CheckpointIdentity(model.hashCode(), type);
        try (ModelHarness harness = new ModelHarness(Reference.resource(model + "/q8_0.gguf"), MAX_ROWS, 2, type, Experts.allResident());
                PrefixStore store = new PrefixStore(harness.pool(), identity, new PrefixOptions(1 << 20, 64, Duration.ofHours(1)), null)) {
            List<Track> tracks = tracks(harness, random);
            for (int i = 0; i < ACTIONS; i++) {
                String circumstances = "seed " + SEED + ", " + model + ", " + type + ", action " + i;
                Track track = tracks.get(random.nextInt(SEQUENCES));
                switch (random.nextInt(10)) {
                    case 0 -> suspend(track, identity);
                    case 1 -> restart(track, harness, store, circumstances);
                    case 2 -> keep(track, store);
                    default -> step(tracks, harness, store, random, circumstances);
                }
                tracks.forEach(each -> resume(each, harness, store, identity, random));
            }
            assertThat(store.snapshot().failures()).isZero();
            for (Track track : tracks) {
                closeState(track);
                if (track.checkpoint != null) {
                    track.checkpoint.close();
                }
            }
            assertThat(harness.pool().snapshot().bytesUsed()).isZero();
        }
    }

    /** Three streams, two of which begin alike. */
    private static List<Track> tracks(ModelHarness harness, Random random) {
        int vocabulary = harness.loaded().model().info().vocabularySize();
        int[] first = random.ints(MAX_ROWS, 0, vocabulary).toArray();
        int[] second = random.ints(MAX_ROWS, 0, vocabulary).toArray();
        System.arraycopy(first, 0, second, 0, 70 + random.nextInt(20));
        int[] third = random.ints(63 + random.nextInt(3), 0, vocabulary).toArray();
        List<Track> tracks = new ArrayList<>();
        for (int[] tokens : List.of(first, second, third)) {
            Track track = new Track(tokens, harness.run(tokens, MAX_ROWS), drafts(harness, tokens));
            track.state = harness.sequence();
            tracks.add(track);
        }
        return tracks;
    }

    /** Logits of the draft block for a sequence that is computed in one step. */
    private static List<float[]> drafts(ModelHarness harness, int[] tokens) {
        DraftHead head = harness.loaded().model().draftHead();
        if (head == null) {
            return List.of();
        }
        try (SequenceState sequence = harness.sequence()) {
            harness.feed(sequence, tokens, MAX_ROWS);
            StepRows rows = new StepRows(MAX_ROWS);
            StepRows step = harness.step();
            rows.beginSegment(step.pages(0), step.planeIn(0));
            for (int i = 1; i < tokens.length; i++) {
                rows.addRow(tokens[i], i - 1, 0, true);
            }
            return harness.forward(head, rows, DraftHead.Hidden.TRUNK, IntStream.range(0, tokens.length).toArray());
        }
    }

    /**
     * Lets the draft block follow the rows of a segment, then drafts further tokens that nobody will ask for, as a rejected draft does.
     *
     * @param firstHidden row of the step that the missing rows begin at, or {@link DraftHead#CARRIED}
     */
    private static void follow(Track track, ModelHarness harness, int firstHidden, Random random, String circumstances) {
        DraftHead head = harness.loaded().model().draftHead();
        SequenceState state = track.state;
        if (head == null || state == null || state.draftLength() == state.position()) {
            return;
        }
        StepRows rows = new StepRows(MAX_ROWS);
        state.prepareDraft(rows, track.next(), true);
        int[] hidden = new int[MAX_ROWS];
        for (int i = 0; i < rows.rows(); i++) {
            hidden[i] = firstHidden == DraftHead.CARRIED ? firstHidden : firstHidden + i;
        }
        float[] logits = harness.forward(head, rows, DraftHead.Hidden.TRUNK, hidden).getLast();
        state.commitDraft();
        if (track.done < track.tokens.length) {
            assertThat(logits).as("draft, %s, position %d", circumstances, track.done)
                    .containsExactly(track.expectedDrafts.get(track.done - 1));
        }
        int ahead = random.nextInt(Math.min(4, state.maxTokens() - state.position()));
        hidden[0] = rows.rows() - 1;
        for (int i = 0; i < ahead; i++) {
            rows.clear();
            state.prepareDraftAhead(rows, i, random.nextInt(500));
            harness.forward(head, rows, DraftHead.Hidden.DRAFT, hidden);
            hidden[0] = 0;
        }
        state.endDraft();
    }

    private static void closeState(Track track) {
        if (track.state != null) {
            track.state.close();
            track.state = null;
        }
    }

    private static void suspend(Track track, CheckpointIdentity identity) {
        SequenceState state = track.state;
        if (state != null) {
            track.checkpoint = track.checkpoint == null ? Checkpoint.save(state, identity) : track.checkpoint.saveInto(state, identity);
            closeState(track);
        }
    }

    /** Brings a suspended track back now or later. */
    private static void resume(Track track, ModelHarness harness, PrefixStore store, CheckpointIdentity identity, Random random) {
        Checkpoint checkpoint = track.checkpoint;
        if (track.state == null && checkpoint != null && random.nextBoolean()) {
            SequenceState state = harness.sequence();
            if (random.nextBoolean()) {
                store.restore(state, checkpoint, identity);
            } else {
                checkpoint.restore(state, identity);
            }
            track.state = state;
        }
    }

    /** Begins the stream again, behind the longest prefix of it. */
    private static void restart(Track track, ModelHarness harness, PrefixStore store, String circumstances) {
        if (track.state == null) {
            return;
        }
        closeState(track);
        track.state = harness.sequence();
        track.done = store.restore(track.state, track.tokens);
        // A prefix that went on otherwise lacks the row of the draft block that belongs to the token behind it.
        assertThat(track.state.draftLength()).isBetween(track.expectedDrafts.isEmpty() ? 0 : track.done - 1, track.done);
        follow(track, harness, DraftHead.CARRIED, new Random(SEED), circumstances);
    }

    private static void keep(Track track, PrefixStore store) {
        if (track.state != null && track.done > 0) {
            store.save(track.state, track.done);
        }
    }

    private static void step(List<Track> tracks, ModelHarness harness, PrefixStore store, Random random, String circumstances) {
        harness.step().clear();
        List<Part> parts = new ArrayList<>();
        for (Track track : tracks) {
            SequenceState state = track.state;
            if (state != null && track.done == track.tokens.length) {
                state.reset();
                track.done = 0;
            }
            if (state != null && random.nextInt(4) > 0) {
                parts.add(prepare(track, state, harness, random));
            }
        }
        if (parts.isEmpty()) {
            return;
        }
        List<float[]> logits = harness.forward();
        for (Part part : parts) {
            finish(part, logits, harness, store, random, circumstances);
        }
    }

    private static Part prepare(Track track, SequenceState state, ModelHarness harness, Random random) {
        int left = track.tokens.length - track.done;
        int from = harness.step().logitRows();
        if (random.nextInt(2) == 0) {
            // Right tokens first, then drafts that are rejected.
            int rows = 1 + random.nextInt(Math.min(left, state.maxSnapshotRows()));
            int accepted = 1 + random.nextInt(rows);
            int[] drafts = random.ints(rows, 0, 500).toArray();
            System.arraycopy(track.tokens, track.done, drafts, 0, accepted);
            state.prepare(harness.step(), drafts, 0, rows, true, LogitsMode.ALL);
            return new Part(track, rows, accepted, true, from);
        }
        int rows = 1 + random.nextInt(Math.min(left, 45));
        if (rows > 1 && random.nextBoolean()) {
            state.prepareKeeping(harness.step(), track.tokens, track.done, rows, 1 + random.nextInt(rows - 1), LogitsMode.ALL);
        } else {
            state.prepare(harness.step(), track.tokens, track.done, rows, false, LogitsMode.ALL);
        }
        return new Part(track, rows, rows, false, from);
    }

    private static void finish(Part part, List<float[]> logits, ModelHarness harness, PrefixStore store, Random random,
            String circumstances) {
        Track track = part.track();
        SequenceState state = track.state;
        if (state == null) {
            throw new AssertionError("A track lost its sequence in a step");
        }
        for (int i = 0; i < part.accepted(); i++) {
            assertThat(logits.get(part.logitsFrom() + i)).as("%s, position %d", circumstances, track.done + i)
                    .containsExactly(track.expected.get(track.done + i));
        }
        if (random.nextInt(5) == 0) {
            state.rollback();
            return;
        }
        state.commit(part.accepted());
        int before = track.done;
        track.done += part.accepted();
        follow(track, harness, part.firstRow(), random, circumstances);
        for (int position = before + 1; position < track.done; position++) {
            if (state.canSave(position) && !store.startsAnywhere()) {
                store.save(state, position);
            }
        }
    }
}
