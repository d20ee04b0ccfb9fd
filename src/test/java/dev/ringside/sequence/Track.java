package dev.ringside.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.StepRows;
import dev.ringside.model.DraftHead;
import dev.ringside.model.ModelHarness;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A stream of tokens, the logits behind each of them when they are computed in one step, and a sequence on its way through the stream. Whatever
 * a track is made to do, it compares every row with those logits, bit for bit.
 */
final class Track implements AutoCloseable {

    private static final int MOST_AHEAD = 4;
    private static final int SMALLEST_VOCABULARY = 500;

    final int[] tokens;
    private final ModelHarness harness;
    private final PrefixStore store;
    private final CheckpointIdentity identity;
    private final Random random;
    private final List<float[]> expected;
    /** Logits of the draft block behind each token but the last; empty without one. */
    private final List<float[]> expectedDrafts;
    private @Nullable SequenceState state;
    private @Nullable Checkpoint checkpoint;
    private int done;
    private int prepared;
    private int accepted;
    private int firstRow;
    private int firstLogits;

    /** A track in front of its first token. */
    Track(ModelHarness harness, PrefixStore store, CheckpointIdentity identity, Random random, int[] tokens) {
        this.harness = harness;
        this.store = store;
        this.identity = identity;
        this.random = random;
        this.tokens = tokens;
        this.expected = harness.run(tokens, tokens.length);
        this.expectedDrafts = drafts(harness, tokens);
        this.state = harness.sequence();
    }

    /** Logits of the draft block for a sequence that is computed in one step. */
    private static List<float[]> drafts(ModelHarness harness, int[] tokens) {
        DraftHead head = harness.loaded().model().draftHead();
        if (head == null) {
            return List.of();
        }
        try (SequenceState sequence = harness.sequence()) {
            harness.feed(sequence, tokens, tokens.length);
            StepRows rows = new StepRows(tokens.length);
            StepRows step = harness.step();
            rows.beginSegment(step.pages(0), step.planeIn(0));
            for (int i = 1; i < tokens.length; i++) {
                rows.addRow(tokens[i], i - 1, 0, true);
            }
            return harness.forward(head, rows, DraftHead.Hidden.TRUNK, IntStream.range(0, tokens.length).toArray());
        }
    }

    /** Tokens that are behind the sequence. */
    int done() {
        return done;
    }

    boolean ended() {
        return done == tokens.length;
    }

    boolean suspended() {
        return state == null;
    }

    private SequenceState running() {
        return Objects.requireNonNull(state, "the track is suspended");
    }

    /** Keeps the state in a checkpoint and lets go of the sequence. */
    void suspend() {
        if (state != null) {
            checkpoint = checkpoint == null ? Checkpoint.save(state, identity) : checkpoint.saveInto(state, identity);
            closeState();
        }
    }

    /** Goes on from the checkpoint. */
    void resume() {
        Checkpoint saved = Objects.requireNonNull(checkpoint);
        SequenceState fresh = harness.sequence();
        if (random.nextBoolean()) {
            store.restore(fresh, saved, identity);
        } else {
            saved.restore(fresh, identity);
        }
        state = fresh;
    }

    /**
     * Begins the stream again, behind the longest prefix of it.
     *
     * @return the tokens of the prefix
     */
    int restart(String circumstances) {
        closeState();
        SequenceState fresh = harness.sequence();
        state = fresh;
        done = store.restore(fresh, tokens);
        // A prefix that went on otherwise lacks the row of the draft block that belongs to the token behind it.
        assertThat(fresh.draftLength()).as(circumstances).isBetween(expectedDrafts.isEmpty() ? 0 : done - 1, done);
        follow(DraftHead.CARRIED, circumstances);
        return done;
    }

    /** Begins the stream again, from its first token. */
    void reset() {
        running().reset();
        done = 0;
    }

    /** Keeps the state as a prefix for others. */
    void keep() {
        if (state != null && done > 0) {
            store.save(state, done);
        }
    }

    /** Adds right tokens and then drafts that will be rejected to the harness's step: at most {@code most} rows in all. */
    void prepareDrafted(int most) {
        SequenceState sequence = running();
        begin();
        prepared = 1 + random.nextInt(Math.min(most, Math.min(tokens.length - done, sequence.maxSnapshotRows())));
        accepted = 1 + random.nextInt(prepared);
        int[] drafts = random.ints(prepared, 0, SMALLEST_VOCABULARY).toArray();
        System.arraycopy(tokens, done, drafts, 0, accepted);
        sequence.prepare(harness.step(), drafts, 0, prepared, true, LogitsMode.ALL);
    }

    /** Adds tokens in front of {@code end} to the harness's step, at most {@code most}; sometimes the state in their midst is kept. */
    void prepareChunk(int end, int most) {
        SequenceState sequence = running();
        begin();
        prepared = 1 + random.nextInt(Math.min(end - done, most));
        accepted = prepared;
        if (prepared > 1 && random.nextBoolean()) {
            sequence.prepareKeeping(harness.step(), tokens, done, prepared, 1 + random.nextInt(prepared - 1), LogitsMode.ALL);
        } else {
            sequence.prepare(harness.step(), tokens, done, prepared, false, LogitsMode.ALL);
        }
    }

    private void begin() {
        firstRow = harness.step().rows();
        firstLogits = harness.step().logitRows();
    }

    /**
     * Commits what was accepted of the rows in the step, or drops all of them; lets the draft block follow.
     *
     * @param logits of every row of the step
     */
    void finish(List<float[]> logits, String circumstances) {
        SequenceState sequence = running();
        for (int i = 0; i < accepted; i++) {
            assertThat(logits.get(firstLogits + i)).as("%s, position %d", circumstances, done + i).containsExactly(expected.get(done + i));
        }
        if (random.nextInt(5) == 0) {
            sequence.rollback();
            return;
        }
        sequence.commit(accepted);
        int before = done;
        done += accepted;
        follow(firstRow, circumstances);
        for (int position = before + 1; position < done; position++) {
            if (sequence.canSave(position) && !store.startsAnywhere()) {
                store.save(sequence, position);
            }
        }
    }

    /**
     * Lets the draft block follow the rows of a segment, then drafts further tokens that nobody will ask for, as a rejected draft does.
     *
     * @param firstHidden row of the step that the missing rows begin at, or {@link DraftHead#CARRIED}
     */
    private void follow(int firstHidden, String circumstances) {
        DraftHead head = harness.loaded().model().draftHead();
        SequenceState sequence = running();
        if (head == null || sequence.draftLength() == sequence.position()) {
            return;
        }
        StepRows rows = new StepRows(harness.step().maxRows());
        sequence.prepareDraft(rows, ended() ? 0 : tokens[done], true);
        int[] hidden = new int[rows.maxRows()];
        for (int i = 0; i < rows.rows(); i++) {
            hidden[i] = firstHidden == DraftHead.CARRIED ? firstHidden : firstHidden + i;
        }
        float[] logits = harness.forward(head, rows, DraftHead.Hidden.TRUNK, hidden).getLast();
        sequence.commitDraft();
        if (!ended()) {
            assertThat(logits).as("draft, %s, position %d", circumstances, done).containsExactly(expectedDrafts.get(done - 1));
        }
        int ahead = random.nextInt(Math.min(MOST_AHEAD, sequence.maxTokens() - sequence.position()));
        hidden[0] = rows.rows() - 1;
        for (int i = 0; i < ahead; i++) {
            rows.clear();
            sequence.prepareDraftAhead(rows, i, random.nextInt(SMALLEST_VOCABULARY));
            harness.forward(head, rows, DraftHead.Hidden.DRAFT, hidden);
            hidden[0] = 0;
        }
        sequence.endDraft();
    }

    private void closeState() {
        if (state != null) {
            state.close();
            state = null;
        }
    }

    @Override
    public void close() {
        closeState();
        if (checkpoint != null) {
            checkpoint.close();
            checkpoint = null;
        }
    }
}
