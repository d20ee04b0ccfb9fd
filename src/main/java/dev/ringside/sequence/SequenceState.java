package dev.ringside.sequence;

import dev.ringside.gpu.StepRows;
import java.util.Arrays;

/**
 * One sequence: its tokens, its position, its pages and its recurrent planes.
 *
 * <p>A step is {@link #prepare prepared} (rows are appended to a {@link StepRows}), run by the model, and then {@link #commit committed} in
 * whole or in part, or {@link #rollback rolled back}. Rows read the current plane and write others, so until a commit nothing that the
 * sequence stands on has changed. Pages may be shared with others: the last one, when it is partly filled, is copied before it is written to.
 * Used by the engine thread alone; preparing and committing allocate only while the sequence outgrows what
 * it held before.
 */
public final class SequenceState implements AutoCloseable {

    private static final int NO_STEP = 0;
    private static final int NOTHING_KEPT = -1;
    static final int NO_TOKEN = -1;

    private final StatePool pool;
    private final int place;
    private final int maxTokens;
    private final int planes;
    private int[] tokens = new int[64];
    private final PageTable pages;
    private int position;
    private int currentPlane;
    /** Rows of the step that is prepared, or {@link #NO_STEP}. */
    private int stepRows = NO_STEP;
    private boolean stepSnapshots;
    /** Position whose state is in {@link #keptPlane} beside the current one, or {@link #NOTHING_KEPT}. */
    private int keptPosition = NOTHING_KEPT;
    private int keptPlane;
    /** Positions whose rows of the draft block are in the pages. */
    private int draftLength;
    /** The token that the last row of the draft block was paired with; it may differ from the one that follows in another sequence. */
    private int following = NO_TOKEN;
    private boolean closed;

    SequenceState(StatePool pool, int place, int maxTokens) {
        this.pool = pool;
        this.place = place;
        this.maxTokens = maxTokens;
        this.planes = pool.budget().planes();
        this.pages = new PageTable(pool, pool.layout().pagesFor(maxTokens));
    }

    /** Number of committed tokens: the position of the next row. */
    public int position() {
        return position;
    }

    /** Most positions of this sequence. */
    public int maxTokens() {
        return maxTokens;
    }

    /** Rows of the step that is prepared, 0 when there is none. */
    public int preparedRows() {
        return stepRows;
    }

    /** The token at a position, committed or of the step that is prepared. */
    public int token(int index) {
        if (index < 0 || index >= position + stepRows) {
            throw new IndexOutOfBoundsException(
                    "Token " + index + " of a sequence at position " + position + " with " + stepRows + " prepared rows");
        }
        return tokens[index];
    }

    /** Most rows of a step whose rows can be committed in part. */
    public int maxSnapshotRows() {
        return planes - 1;
    }

    /**
     * Appends the next tokens as a segment of a step.
     *
     * @param snapshot whether every row keeps its state, so that part of the rows can be committed; needs
     *        {@code count <= maxSnapshotRows()}. Otherwise only the last row does
     * @throws StateExhaustedException when the pages of the new positions cannot be had; nothing was changed
     * @throws IllegalStateException when a step is prepared already, or the step has no room for the rows
     * @throws IllegalArgumentException when the rows are none, too many to keep each, or go beyond {@link #maxTokens()}
     */
    public void prepare(StepRows rows, int[] newTokens, int offset, int count, boolean snapshot, LogitsMode logits) {
        prepare(rows, newTokens, offset, count, snapshot, NOTHING_KEPT, logits);
    }

    /**
     * As above without snapshots, but the state after {@code keptRows} of the rows is kept too, so that a prefix can end there. It is there
     * from the commit to the next step.
     *
     * @param keptRows from 1 to {@code count - 1}
     * @throws IllegalArgumentException when there is no plane for it: see {@link #canKeep()}
     */
    public void prepareKeeping(StepRows rows, int[] newTokens, int offset, int count, int keptRows, LogitsMode logits) {
        if (keptRows < 1 || keptRows >= count || !canKeep()) {
            throw new IllegalArgumentException(
                    "The state after " + keptRows + " of " + count + " rows can't be kept with " + planes + " planes");
        }
        prepare(rows, newTokens, offset, count, false, keptRows, logits);
    }

    /** Whether a step can keep the state after one of its rows beside that after the last. */
    public boolean canKeep() {
        return planes > 2 || pool.layout().planeBytes() == 0;
    }

    private void prepare(StepRows rows, int[] newTokens, int offset, int count, boolean snapshot, int keptRows, LogitsMode logits) {
        requireNoStep();
        if (offset < 0 || count < 1 || count > newTokens.length - offset) {
            throw new IllegalArgumentException("Rows [" + offset + ", " + offset + " + " + count + ") of " + newTokens.length + " tokens");
        }
        if (count > maxTokens - position) {
            throw new IllegalArgumentException(
                    count + " rows at position " + position + " go beyond the sequence's limit of " + maxTokens + " tokens");
        }
        if (snapshot && count > maxSnapshotRows()) {
            throw new IllegalArgumentException(
                    "A step that can be committed in part has at most " + maxSnapshotRows() + " rows, found " + count);
        }
        if (count > rows.maxRows() - rows.rows()) {
            throw new IllegalStateException(
                    "A step of " + rows.maxRows() + " rows has room for " + (rows.maxRows() - rows.rows()) + " more, not " + count);
        }
        int end = position + count;
        pages.takeFor(position / pool.layout().pageTokens(), pool.layout().pagesFor(end));
        holdTokens(end);
        System.arraycopy(newTokens, offset, tokens, position, count);
        rows.beginSegment(pages.addresses(), planeIn(), tokens);
        for (int row = 0; row < count; row++) {
            boolean last = row == count - 1;
            long plane = snapshot || last
                    ? pool.planeAddress(place, planeAfter(snapshot ? row : 0))
                    : row == keptRows - 1 && planes > 2 ? pool.planeAddress(place, planeAfter(1)) : 0;
            rows.addRow(tokens[position + row], position + row, plane, logits == LogitsMode.ALL || (last && logits == LogitsMode.LAST));
        }
        stepRows = count;
        stepSnapshots = snapshot;
        keptPosition = keptRows == NOTHING_KEPT ? NOTHING_KEPT : position + keptRows;
        keptPlane = planeAfter(1);
    }

    /**
     * Makes the first {@code n} rows of the prepared step part of the sequence and drops the others.
     *
     * @throws IllegalStateException when no step is prepared, or it has more rows and did not keep the state of each; nothing was changed
     * @throws IllegalArgumentException when the step has no n-th row; nothing was changed
     */
    public void commit(int n) {
        requireStep("commit");
        if (n < 1 || n > stepRows) {
            throw new IllegalArgumentException("Cannot commit " + n + " rows of a step of " + stepRows);
        }
        if (n < stepRows && !stepSnapshots) {
            throw new IllegalStateException("Cannot commit " + n + " of " + stepRows + " rows: the step was prepared without snapshots");
        }
        int kept = n == stepRows ? keptPosition : NOTHING_KEPT;
        currentPlane = planeAfter(stepSnapshots ? n - 1 : 0);
        position += n;
        endStep();
        keptPosition = kept;
    }

    /** Drops the prepared step: the sequence is as it was before. */
    public void rollback() {
        requireStep("roll back");
        endStep();
    }

    /** Starts again at position 0 with zeroed recurrent state; a prepared step is dropped. */
    public void reset() {
        requireOpen();
        pool.zero(planeIn());
        position = 0;
        draftLength = 0;
        following = NO_TOKEN;
        endStep();
    }

    /**
     * Positions whose state of the draft (MTP) block is there, at most {@link #position()}. Its row at a position belongs to the hidden state
     * there and the token behind it, so the last one can be computed only when that token is known.
     */
    public int draftLength() {
        return draftLength;
    }

    /**
     * Appends the rows of the draft block that are missing as a segment: positions from {@link #draftLength()} to {@link #position()}. They count
     * from {@link #commitDraft()} on. A page that others hold is copied before it is written to.
     *
     * @param next the token behind the last position
     * @param logits whether the last row's logits are wanted
     * @throws StateExhaustedException when a page that has to be copied can't be; nothing was changed
     * @throws IllegalStateException when a step is prepared, no row is missing, or the step has no room for the rows
     */
    public void prepareDraft(StepRows rows, int next, boolean logits) {
        requireNoStep();
        int count = position - draftLength;
        if (count < 1 || count > rows.maxRows() - rows.rows()) {
            throw new IllegalStateException(
                    count + " rows of the draft block are missing, the step has room for " + (rows.maxRows() - rows.rows()));
        }
        pages.takeFor(draftLength / pool.layout().pageTokens(), pool.layout().pagesFor(position));
        rows.beginSegment(pages.addresses(), planeIn());
        for (int at = draftLength; at < position; at++) {
            boolean last = at == position - 1;
            rows.addRow(last ? next : tokens[at + 1], at, last ? sparePlane() : 0, last && logits);
        }
        following = next;
    }

    /** The rows of {@link #prepareDraft} were computed. */
    public void commitDraft() {
        draftLength = position;
    }

    /**
     * Appends a row of the draft block behind the sequence's end, for a draft on top of drafts. Nobody will miss it: the first rows that are
     * committed take its place.
     *
     * @param ahead how far behind the end, from 0
     * @param token the draft behind the row
     * @throws StateExhaustedException when there is no page for it; nothing was changed
     * @throws IllegalArgumentException when that is beyond {@link #maxTokens()}
     */
    public void prepareDraftAhead(StepRows rows, int ahead, int token) {
        requireNoStep();
        int at = position + ahead;
        if (ahead < 0 || at >= maxTokens) {
            throw new IllegalArgumentException(
                    "A draft at position " + at + " goes beyond the sequence's limit of " + maxTokens + " tokens");
        }
        pages.takeFor(position / pool.layout().pageTokens(), pool.layout().pagesFor(at + 1));
        rows.beginSegment(pages.addresses(), planeIn());
        rows.addRow(token, at, sparePlane(), true);
    }

    /** Lets go of what {@link #prepareDraftAhead} took. */
    public void endDraft() {
        requireNoStep();
        pages.cutTo(pool.layout().pagesFor(position));
    }

    /** Says which token comes next: where the last row of the draft block was computed for another one, it is missing from here on. */
    public void expectNext(int token) {
        if (draftLength == position && following != token) {
            draftLength = Math.max(0, position - 1);
        }
    }

    /** Says how far the draft block's rows in the pages go, and for which token the last one was computed. */
    void draftedTo(int length, int next) {
        draftLength = length;
        following = next;
    }

    /** Positions up to one whose rows of the draft block are there. */
    int draftLengthAt(int atPosition) {
        return Math.min(draftLength, atPosition);
    }

    /** The token that the row of the draft block in front of a position was computed for. */
    int followingAt(int atPosition) {
        return atPosition < position ? tokens[atPosition] : following;
    }

    /** Bytes the sequence takes from the pool now: its pages and all of its planes. */
    public long stateBytes() {
        return closed ? 0 : pool.bytesOf(pages.count());
    }

    /** Pages the sequence holds now. */
    public int pageCount() {
        return pages.count();
    }

    /** Pages that the next {@code rows} rows take, one that has to be copied included. */
    public int pagesNeeded(int rows) {
        boolean copy = pages.isShared(position / pool.layout().pageTokens());
        return Math.max(0, pool.layout().pagesFor(Math.min(maxTokens, position + rows)) - pages.count()) + (copy ? 1 : 0);
    }

    /** Returns everything to the pool; the work that uses it must be enqueued before what others will enqueue. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        position = 0;
        endStep();
        pool.returnPlace(place);
    }

    /** Whether the state behind the first {@code atPosition} tokens is there to be kept as a prefix. */
    public boolean canSave(int atPosition) {
        return planeAt(atPosition) != 0;
    }

    /** Tokens by position, at least {@link #position()} of them; the array is the sequence's own. */
    int[] tokens() {
        return tokens;
    }

    StatePool pool() {
        return pool;
    }

    /** Address of the plane with the state behind the first {@code atPosition} tokens, or 0 when it is not there. */
    long planeAt(int atPosition) {
        if (stepRows != NO_STEP || atPosition > position || atPosition < 1) {
            return 0;
        }
        if (atPosition == position || pool.layout().planeBytes() == 0) {
            return planeIn();
        }
        return atPosition == keptPosition ? pool.planeAddress(place, keptPlane) : 0;
    }

    /** Address of the plane that is free between steps: restored state goes there first. */
    long sparePlane() {
        return pool.planeAddress(place, planeAfter(0));
    }

    /**
     * Stands on other state from here on: its own pages are let go, those in the table, which it becomes a holder of, take their place, and
     * the spare plane, which holds the state by now, becomes the current one. Can't fail once it has begun.
     *
     * @param table addresses of pages that were taken or retained for this sequence; copied
     * @param newDraftLength positions whose rows of the draft block the pages hold
     * @param newFollowing the token that the last of these was computed for
     */
    void standOn(long[] table, int count, int[] newTokens, int newPosition, int newDraftLength, int newFollowing) {
        holdTokens(newPosition);
        pages.replaceBy(table, count);
        System.arraycopy(newTokens, 0, tokens, 0, newPosition);
        position = newPosition;
        currentPlane = planeAfter(0);
        draftLength = newDraftLength;
        following = newFollowing;
        endStep();
    }

    /** Holds {@code shared} in place of a page of its own with the same contents. */
    void exchangePage(int index, long shared) {
        pages.exchange(index, shared);
    }

    /** Address of the plane with the state in front of the next row. */
    long planeIn() {
        return pool.planeAddress(place, currentPlane);
    }

    /** Address of a page the sequence holds. */
    long page(int index) {
        return pages.get(index);
    }

    /** The plane that is {@code row + 1} behind the current one: with at most {@code planes - 1} rows never the current one. */
    private int planeAfter(int row) {
        return (currentPlane + 1 + row) % planes;
    }

    private void holdTokens(int count) {
        if (tokens.length < count) {
            tokens = Arrays.copyOf(tokens, Math.max(count, (int) Math.min(2L * tokens.length, maxTokens)));
        }
    }

    private void endStep() {
        stepRows = NO_STEP;
        keptPosition = NOTHING_KEPT;
        pages.cutTo(pool.layout().pagesFor(position));
    }

    private void requireNoStep() {
        requireOpen();
        if (stepRows != NO_STEP) {
            throw new IllegalStateException("A step of " + stepRows + " rows is prepared already: commit it or roll it back");
        }
    }

    private void requireStep(String what) {
        requireOpen();
        if (stepRows == NO_STEP) {
            throw new IllegalStateException("There is nothing to " + what + ": no step is prepared");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("The sequence is closed");
        }
    }
}
