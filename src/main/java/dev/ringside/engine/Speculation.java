package dev.ringside.engine;

import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;
import dev.ringside.model.DraftHead;
import dev.ringside.model.DraftHead.Hidden;
import dev.ringside.sampling.TokenConstraint;
import dev.ringside.sequence.SequenceState;
import dev.ringside.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drafts the tokens behind those that were sampled, with the model's draft (MTP) block. The next step computes a row for each of them, and
 * {@link StepRunner} samples from these rows, one after the other, exactly as it would without drafts, for as long as the token sampled is the
 * one drafted. So drafts decide what is computed ahead, never what is generated: texts are the same bit for bit, greedy and drawn.
 *
 * <p>The draft block has a row for every position, so each step is followed by its rows in the draft block, whether or not anything is
 * drafted.
 */
final class Speculation {

    private static final Logger log = LoggerFactory.getLogger(InferenceEngine.class);

    private final DraftHead head;
    private final Tokenizer tokenizer;
    private final PinnedBuffer logits;
    private final long rowBytes;
    private final int sampled;
    private final DraftPlan plan;
    private final int mostInStep;
    private final boolean keepsEnds;
    private final StepRows rows;
    private final int[] hiddenRows;
    private final List<ActiveGeneration> followers;

    /**
     * @param logits memory for rows of logits, which are read before the next step
     * @param rowBytes of a row of logits
     * @param sampled tokens that can be sampled
     * @param keepsEnds whether the state of generations that have ended is kept for others
     */
    Speculation(DraftHead head, Tokenizer tokenizer, PinnedBuffer logits, long rowBytes, int sampled, EngineOptions options, DraftPlan plan,
            boolean keepsEnds) {
        this.head = head;
        this.tokenizer = tokenizer;
        this.logits = logits;
        this.rowBytes = rowBytes;
        this.sampled = sampled;
        this.plan = plan;
        this.mostInStep = options.speculation().draftRows(options.maxActive());
        this.keepsEnds = keepsEnds;
        this.rows = new StepRows(options.stepTokens());
        this.hiddenRows = new int[options.stepTokens()];
        this.followers = new ArrayList<>(options.maxActive());
    }

    DraftPlan plan() {
        return plan;
    }

    /** Computes the last row of the draft block for sequences that lack it, as those do that begin behind a prefix which went on otherwise. */
    void catchUp(List<ActiveGeneration> active) {
        begin();
        for (int i = 0; i < active.size(); i++) {
            ActiveGeneration generation = active.get(i);
            SequenceState state = generation.state;
            if (state != null && generation.draftable && state.position() > 0 && state.draftLength() == state.position() - 1) {
                int next = generation.inPrompt() ? generation.request.prompt()[generation.promptDone] : generation.pending[0];
                add(generation, state, next, false, DraftHead.CARRIED);
            }
        }
        if (rows.rows() > 0 && forward(Hidden.TRUNK)) {
            commit();
        }
        followers.clear();
    }

    /**
     * Brings the draft block to where the sequences of a step are, and drafts.
     *
     * @param participants of the step, one segment each, their rows committed
     * @param step whose hidden states the model still has
     */
    void follow(List<ActiveGeneration> participants, StepRows step) {
        begin();
        int sequences = 0;
        for (int i = 0; i < participants.size(); i++) {
            ActiveGeneration generation = participants.get(i);
            sequences += generation.goesOn() ? 1 : 0;
        }
        int room = mostInStep;
        int rounds = 0;
        for (int i = 0; i < participants.size(); i++) {
            ActiveGeneration generation = participants.get(i);
            SequenceState state = generation.state;
            generation.draftCount = 0;
            generation.draftsWanted = 0;
            if (state == null || !generation.draftable || generation.finish != null && !keepsEnds) {
                continue;
            }
            if (state.draftLength() != step.position(step.firstRow(i))) {
                // A row is missing for good.
                generation.draftable = false;
                continue;
            }
            if (generation.promptStepFrom >= 0) {
                rows.beginPrompts();
            }
            int wanted = generation.goesOn() ? Math.min(room, wanted(generation, state, sequences)) : 0;
            if (add(generation, state, generation.next, wanted > 0, step.firstRow(i))) {
                generation.draftsWanted = wanted;
                room -= wanted;
                rounds = Math.max(rounds, wanted);
            }
        }
        if (rows.rows() > 0) {
            draft(rounds);
        }
        followers.clear();
    }

    private int wanted(ActiveGeneration generation, SequenceState state, int sequences) {
        int left = generation.limit - generation.generated - 1;
        int most = Math.min(left, Math.min(generation.pending.length - 1, state.maxSnapshotRows() - 1));
        int drafts = Math.min(most, plan.drafts(generation.acceptance, generation.idleSteps, sequences));
        generation.idleSteps = drafts > 0 ? 0 : generation.idleSteps + 1;
        return Math.max(0, drafts);
    }

    private void draft(int rounds) {
        long begin = System.nanoTime();
        int fed = rows.rows();
        if (!forward(Hidden.TRUNK)) {
            return;
        }
        commit();
        boolean decoding = fed <= 2 * followers.size();
        if (rounds == 0) {
            if (decoding) {
                plan.fed(System.nanoTime() - begin);
            }
            return;
        }
        propose(1);
        long now = System.nanoTime();
        if (decoding) {
            plan.drafted(now - begin);
        }
        for (int round = 2; round <= rounds; round++) {
            begin = now;
            if (!prepareRound(round)) {
                break;
            }
            if (!forward(Hidden.DRAFT)) {
                return;
            }
            propose(round);
            now = System.nanoTime();
            plan.drafted(now - begin);
        }
        for (int i = 0; i < followers.size(); i++) {
            endDraft(followers.get(i));
        }
    }

    private boolean prepareRound(int round) {
        rows.clear();
        for (int i = 0; i < followers.size(); i++) {
            ActiveGeneration generation = followers.get(i);
            if (generation.draftsWanted < round || generation.draftCount < round - 1) {
                generation.draftsWanted = Math.min(generation.draftsWanted, generation.draftCount);
                continue;
            }
            int row = rows.rows();
            try {
                generation.requireState().prepareDraftAhead(rows, round - 2, generation.pending[round - 1]);
                hiddenRows[row] = generation.draftRow;
                generation.draftRow = row;
            } catch (RuntimeException e) {
                // There is no page for it: the next step has fewer drafts.
                generation.draftsWanted = generation.draftCount;
            }
        }
        return rows.rows() > 0;
    }

    /** Takes the most likely token of each row of logits as a draft; none behind one that would end the text. */
    private void propose(int round) {
        int logitRow = 0;
        for (int i = 0; i < followers.size(); i++) {
            ActiveGeneration generation = followers.get(i);
            if (generation.draftsWanted < round) {
                continue;
            }
            try {
                TokenConstraint constraint = generation.sampler.constraint();
                if (constraint != null && round > 1) {
                    constraint.accept(generation.pending[round - 1]);
                }
                int token = generation.sampler.mostLikely(logits.memory(), logitRow * rowBytes, sampled);
                if (generation.endsAt(token, tokenizer)) {
                    generation.draftsWanted = generation.draftCount;
                } else {
                    generation.pending[round] = token;
                    generation.draftCount = round;
                }
            } catch (RuntimeException e) {
                generation.draftsWanted = generation.draftCount;
            }
            logitRow++;
        }
    }

    private static void endDraft(ActiveGeneration generation) {
        try {
            generation.requireState().endDraft();
            TokenConstraint constraint = generation.sampler.constraint();
            if (constraint != null) {
                constraint.rewind(generation.constrained);
            }
        } catch (RuntimeException e) {
            generation.fault = e;
        }
    }

    private void begin() {
        rows.clear();
        followers.clear();
    }

    /** @param hidden the first row of hidden states, or {@link DraftHead#CARRIED} */
    private boolean add(ActiveGeneration generation, SequenceState state, int next, boolean drafts, int hidden) {
        int first = rows.rows();
        try {
            state.prepareDraft(rows, next, drafts);
        } catch (RuntimeException e) {
            generation.draftable = false;
            log.debug("{} goes on without drafts: {}", generation.id(), e.toString());
            return false;
        }
        for (int row = first; row < rows.rows(); row++) {
            hiddenRows[row] = hidden == DraftHead.CARRIED ? hidden : hidden + row - first;
        }
        generation.draftRow = rows.rows() - 1;
        TokenConstraint constraint = generation.sampler.constraint();
        generation.constrained = constraint == null ? 0 : constraint.accepted();
        followers.add(generation);
        return true;
    }

    private void commit() {
        for (int i = 0; i < followers.size(); i++) {
            followers.get(i).requireState().commitDraft();
        }
    }

    /** False when the draft block could not be computed: the sequences go on without it. */
    private boolean forward(Hidden hidden) {
        try {
            head.forward(rows, hidden, hiddenRows, logits);
            return true;
        } catch (Throwable failure) {
            log.warn("{} sequences go on without drafts: {}", followers.size(), failure.toString());
            for (int i = 0; i < followers.size(); i++) {
                ActiveGeneration generation = followers.get(i);
                generation.draftable = false;
                generation.draftCount = 0;
                endDraft(generation);
            }
            return false;
        }
    }
}
