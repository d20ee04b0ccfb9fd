package dev.ringside.engine;

import dev.ringside.engine.GenerationEvent.PromptProgress;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepAbandonedException;
import dev.ringside.gpu.StepRows;
import dev.ringside.model.LanguageModel;
import dev.ringside.sampling.SamplerWorkspace;
import dev.ringside.sequence.LogitsMode;
import dev.ringside.sequence.SequenceState;
import dev.ringside.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Computes steps: composes the rows, runs the model, commits, samples and delivers. A step that fails is rolled back, and its sequences are
 * tried again one by one, so that only those concerned fail.
 */
final class StepRunner {

    private static final Logger log = LoggerFactory.getLogger(InferenceEngine.class);

    private final LanguageModel model;
    private final Tokenizer tokenizer;
    private final PinnedBuffer logits;
    private final EngineCounters counters;
    private final Outcome outcome;
    private final Prefixes prefixes;
    private final StepRows rows;
    private final List<ActiveGeneration> participants;
    private final List<ActiveGeneration> prompts;
    private final int[] wanted;
    private final int[] shares;
    private final PromptBudget budget;
    private final long rowBytes;
    private final int sampled;
    private final Logprobs logprobs;
    private final @Nullable Speculation speculation;
    private final int mostDrafts;
    private int promptRows;
    /** Keeps what was read ahead from being left out. */
    @SuppressWarnings("UnusedVariable")
    private int readAhead;

    /** @param workspace for the tokens that can be sampled: those that both the model and the tokenizer know */
    StepRunner(LanguageModel model, Tokenizer tokenizer, PinnedBuffer logits, EngineOptions options, SamplerWorkspace workspace,
            EngineCounters counters, Outcome outcome, Prefixes prefixes, @Nullable Speculation speculation) {
        this.speculation = speculation;
        this.mostDrafts = options.speculation().draftRows(options.maxActive());
        this.model = model;
        this.tokenizer = tokenizer;
        this.logits = logits;
        this.counters = counters;
        this.outcome = outcome;
        this.prefixes = prefixes;
        this.rows = new StepRows(options.stepTokens());
        rows.abandonWhen(this::isAbandoned);
        this.participants = new ArrayList<>(options.maxActive());
        this.prompts = new ArrayList<>(options.maxActive());
        this.wanted = new int[options.maxActive()];
        this.shares = new int[options.maxActive()];
        this.budget = new PromptBudget(options.stepTokens(), options.targetInterToken());
        this.rowBytes = (long) Float.BYTES * model.info().vocabularySize();
        this.sampled = workspace.vocabulary();
        this.logprobs = new Logprobs(workspace);
    }

    /** One step of all active sequences, those admitted first in front. Ended ones stay in the list, marked. */
    void run(List<ActiveGeneration> active) {
        long begin = System.nanoTime();
        if (speculation != null) {
            speculation.catchUp(active);
        }
        compose(active, begin);
        if (participants.isEmpty()) {
            return;
        }
        int stepRows = rows.rows();
        Throwable failure = forward();
        if (failure == null) {
            finishStep();
        } else if (failure instanceof StepAbandonedException) {
            rollbackAll();
        } else if (participants.size() == 1 && rows.rows() == participants.getFirst().plainRows()) {
            participants.getFirst().rollback();
            outcome.fail(participants.getFirst(), Failures.of(failure));
        } else {
            isolate(failure);
        }
        participants.clear();
        long took = System.nanoTime() - begin;
        if (failure == null) {
            budget.computed(stepRows - promptRows, promptRows, took);
        }
        counters.step(stepRows, took);
    }

    private void compose(List<ActiveGeneration> active, long now) {
        beginStep();
        prompts.clear();
        // Every sequence has a row before any has drafts.
        int drafts = Math.min(rows.maxRows() - active.size(), mostDrafts);
        for (int i = 0; i < active.size(); i++) {
            ActiveGeneration generation = active.get(i);
            if (generation.startedAt == 0) {
                generation.startedAt = now;
            }
            if (generation.inPrompt()) {
                wanted[prompts.size()] = generation.promptLeft();
                prompts.add(generation);
            } else {
                generation.draftCount = Math.min(generation.draftCount, drafts);
                drafts -= generation.draftCount;
                add(generation, 1);
            }
        }
        int decodeRows = rows.rows();
        int allowed = Math.min(budget.rows(decodeRows), rows.maxRows() - decodeRows);
        if (!prompts.isEmpty() && allowed > 0) {
            counters.promptBudget(allowed);
        }
        FairShares.divide(allowed, wanted, prompts.size(), shares);
        for (int i = 0; i < prompts.size(); i++) {
            if (shares[i] > 0) {
                add(prompts.get(i), shares[i]);
            }
        }
        prompts.clear();
        promptRows = rows.rows() - decodeRows;
    }

    private void beginStep() {
        rows.clear();
        participants.clear();
    }

    /**
     * Appends the next {@code most} rows of a sequence, or fewer where its prompt is cut at a boundary; one that can't be prepared fails alone and
     * leaves the step as it was.
     */
    private void add(ActiveGeneration generation, int most) {
        SequenceState state = generation.requireState();
        int count = most;
        try {
            if (generation.inPrompt()) {
                rows.beginPrompts();
                int boundary = generation.boundaryAfter(generation.promptDone);
                boolean inside = boundary < generation.promptDone + most;
                int cut = inside && state.canKeep() ? generation.boundaryAfter(boundary) : boundary;
                count = Math.min(most, cut - generation.promptDone);
                boolean last = count == generation.promptLeft();
                LogitsMode mode = last ? LogitsMode.LAST : LogitsMode.NONE;
                generation.logitRow = last ? rows.logitRows() : ActiveGeneration.NO_LOGITS;
                if (inside && cut != boundary) {
                    state.prepareKeeping(rows, generation.request.prompt(), generation.promptDone, count, boundary - generation.promptDone,
                            mode);
                } else {
                    state.prepare(rows, generation.request.prompt(), generation.promptDone, count, false, mode);
                }
            } else {
                count = 1 + generation.draftCount;
                generation.logitRow = rows.logitRows();
                state.prepare(rows, generation.pending, 0, count, count > 1, LogitsMode.ALL);
            }
        } catch (RuntimeException e) {
            outcome.fail(generation, Failures.of(e));
            return;
        }
        generation.stepCount = count;
        participants.add(generation);
    }

    private @Nullable Throwable forward() {
        try {
            long begin = System.nanoTime();
            model.forward(rows, logits);
            if (speculation != null && promptRows == 0) {
                speculation.plan().stepped(rows.rows(), System.nanoTime() - begin);
            }
            counters.forwardSucceeded();
            return null;
        } catch (StepAbandonedException abandoned) {
            return abandoned;
        } catch (Throwable failure) {
            // Errors too: a fault in mapped memory arrives as one, and other requests must go on.
            counters.forwardFailed();
            return failure;
        }
    }

    /** Whether nobody waits for the step at hand any more. */
    private boolean isAbandoned() {
        for (int i = 0; i < participants.size(); i++) {
            if (!participants.get(i).isCancelled()) {
                return false;
            }
        }
        return true;
    }

    private void rollbackAll() {
        for (int i = 0; i < participants.size(); i++) {
            participants.get(i).rollback();
        }
    }

    private void isolate(Throwable failure) {
        List<ActiveGeneration> suspects = List.copyOf(participants);
        log.warn("A step of {} sequences failed, trying them one by one: {}", suspects.size(), String.valueOf(failure));
        rollbackAll();
        for (ActiveGeneration suspect : suspects) {
            beginStep();
            // Without drafts: what only their rows need may be what failed.
            suspect.draftCount = 0;
            add(suspect, suspect.plainRows());
            if (participants.isEmpty()) {
                continue;
            }
            Throwable own = forward();
            if (own == null) {
                finishStep();
            } else {
                suspect.rollback();
                if (!(own instanceof StepAbandonedException)) {
                    outcome.fail(suspect, Failures.of(own));
                }
            }
        }
    }

    /** Makes the computed rows part of their sequences, samples, lets the draft block follow, and ends what is at its end. */
    private void finishStep() {
        for (int i = 0; i < participants.size(); i++) {
            readAhead += participants.get(i).lookAhead();
        }
        for (int i = 0; i < participants.size(); i++) {
            advance(participants.get(i));
        }
        if (speculation != null) {
            speculation.follow(participants, rows);
        }
        for (int i = 0; i < participants.size(); i++) {
            conclude(participants.get(i));
        }
    }

    private void advance(ActiveGeneration generation) {
        boolean inPrompt = generation.inPrompt();
        generation.promptStepFrom = inPrompt ? generation.promptDone : -1;
        try {
            generation.stepsRun++;
            if (!inPrompt) {
                verify(generation, generation.stepCount - 1);
                return;
            }
            generation.requireState().commit(generation.stepCount);
            generation.promptDone += generation.stepCount;
            if (!generation.synthetic) {
                counters.addPromptTokens(generation.stepCount);
            }
            if (generation.inPrompt()) {
                int[] prompt = generation.request.prompt();
                generation.next = prompt[generation.promptDone];
                outcome.deliver(generation, new PromptProgress(generation.promptDone, prompt.length));
            } else {
                if (speculation != null) {
                    generation.acceptance = speculation.plan().rate();
                }
                verify(generation, 0);
            }
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            // What a request's own constraint or text may cause is its own affair.
            deliver(generation);
            outcome.fail(generation, Failures.of(e));
        }
    }

    /**
     * Samples from the rows of a step, one after the other, while the tokens are those that were drafted, and commits the rows of the tokens
     * taken.
     */
    private void verify(ActiveGeneration generation, int drafts) {
        int accepted = 0;
        int before = generation.generated;
        while (true) {
            take(generation, (generation.logitRow + accepted) * rowBytes);
            if (generation.finish != null || accepted == drafts || generation.next != generation.pending[accepted + 1]) {
                break;
            }
            accepted++;
        }
        generation.pending[0] = generation.next;
        if (generation.requireState().preparedRows() > 0) {
            generation.requireState().commit(accepted + 1);
        }
        if (!generation.synthetic) {
            counters.addGeneratedTokens(generation.generated - before);
        }
        if (speculation != null) {
            if (drafts > 0) {
                generation.acceptance = speculation.plan().verified(generation.acceptance, drafts, accepted);
            }
            if (!generation.synthetic) {
                counters.speculation.verified(drafts, accepted, generation.generated - before);
            }
        }
        deliver(generation);
    }

    /** Samples the next token. */
    private void take(ActiveGeneration generation, long logitsOffset) {
        int token = generation.sampler.sample(logits.memory(), logitsOffset, sampled);
        generation.next = token;
        if (generation.firstTokenAt == 0) {
            generation.firstTokenAt = System.nanoTime();
        }
        if (generation.endsAt(token, tokenizer)) {
            generation.finish = FinishReason.STOP;
            return;
        }
        generation.generated++;
        generation.sampler.accept(token);
        generation.text.append(token);
        if (generation.request.logprobs() != GenerationRequest.NO_LOGPROBS) {
            generation.text.add(logprobs.of(token, logits.memory(), logitsOffset, sampled, generation.request.logprobs()));
        }
        if (generation.text.stopped()) {
            generation.finish = FinishReason.STOP;
        } else if (generation.generated == generation.limit) {
            generation.finish = FinishReason.LENGTH;
        }
    }

    private void deliver(ActiveGeneration generation) {
        if (!generation.ended && generation.text.isReady()) {
            outcome.deliver(generation, generation.text.delta());
        }
    }

    private void conclude(ActiveGeneration generation) {
        if (generation.ended) {
            return;
        }
        try {
            if (generation.promptStepFrom >= 0) {
                prefixes.keep(generation, generation.promptStepFrom);
            }
        } catch (RuntimeException e) {
            generation.fault = e;
        }
        Throwable fault = generation.fault;
        FinishReason reason = generation.finish;
        if (fault != null) {
            outcome.fail(generation, Failures.of(fault));
        } else if (reason != null) {
            outcome.complete(generation, reason);
        }
    }
}
