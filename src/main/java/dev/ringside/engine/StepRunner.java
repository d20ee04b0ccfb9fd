package dev.ringside.engine;

import dev.ringside.engine.GenerationEvent.PromptProgress;
import dev.ringside.engine.GenerationEvent.TextDelta;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;
import dev.ringside.model.LanguageModel;
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
    private int promptRows;

    /** @param sampled tokens that can be sampled: those that both the model and the tokenizer know */
    StepRunner(LanguageModel model, Tokenizer tokenizer, PinnedBuffer logits, EngineOptions options, int sampled, EngineCounters counters,
            Outcome outcome, Prefixes prefixes) {
        this.model = model;
        this.tokenizer = tokenizer;
        this.logits = logits;
        this.counters = counters;
        this.outcome = outcome;
        this.prefixes = prefixes;
        this.rows = new StepRows(options.stepTokens());
        this.participants = new ArrayList<>(options.maxActive());
        this.prompts = new ArrayList<>(options.maxActive());
        this.wanted = new int[options.maxActive()];
        this.shares = new int[options.maxActive()];
        this.budget = new PromptBudget(options.stepTokens());
        this.rowBytes = (long) Float.BYTES * model.info().vocabularySize();
        this.sampled = sampled;
    }

    /** One step of all active sequences, those admitted first in front. Ended ones stay in the list, marked. */
    void run(List<ActiveGeneration> active) {
        long begin = System.nanoTime();
        compose(active, begin);
        if (participants.isEmpty()) {
            return;
        }
        int stepRows = rows.rows();
        Throwable failure = forward();
        if (failure == null) {
            for (int i = 0; i < participants.size(); i++) {
                advance(participants.get(i));
            }
        } else if (participants.size() == 1) {
            participants.getFirst().rollback();
            outcome.fail(participants.getFirst(), Failures.of(failure));
        } else {
            isolate(failure);
        }
        participants.clear();
        long took = System.nanoTime() - begin;
        if (promptRows > 0) {
            budget.computed(promptRows, took);
        }
        counters.step(stepRows, took);
    }

    private void compose(List<ActiveGeneration> active, long now) {
        beginStep();
        prompts.clear();
        for (int i = 0; i < active.size(); i++) {
            ActiveGeneration generation = active.get(i);
            if (generation.startedAt == 0) {
                generation.startedAt = now;
            }
            if (generation.inPrompt()) {
                wanted[prompts.size()] = generation.promptLeft();
                prompts.add(generation);
            } else {
                add(generation, 1);
            }
        }
        int decodeRows = rows.rows();
        FairShares.divide(Math.min(budget.rows(), rows.maxRows() - decodeRows), wanted, prompts.size(), shares);
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
                generation.logitRow = rows.logitRows();
                state.prepare(rows, generation.pending, 0, 1, false, LogitsMode.LAST);
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
            model.forward(rows, logits);
            counters.forwardSucceeded();
            return null;
        } catch (Throwable failure) {
            // Errors too: a fault in mapped memory arrives as one, and other requests must go on.
            counters.forwardFailed();
            return failure;
        }
    }

    private void isolate(Throwable failure) {
        List<ActiveGeneration> suspects = List.copyOf(participants);
        log.warn("A step of {} sequences failed, trying them one by one: {}", suspects.size(), String.valueOf(failure));
        for (ActiveGeneration suspect : suspects) {
            suspect.rollback();
        }
        for (ActiveGeneration suspect : suspects) {
            beginStep();
            add(suspect, suspect.stepCount);
            if (participants.isEmpty()) {
                continue;
            }
            Throwable own = forward();
            if (own == null) {
                advance(suspect);
            } else {
                suspect.rollback();
                outcome.fail(suspect, Failures.of(own));
            }
        }
    }

    /** Makes the computed rows part of the sequence, and the next token of it if there are logits. */
    private void advance(ActiveGeneration generation) {
        try {
            generation.requireState().commit(generation.stepCount);
            generation.stepsRun++;
            if (generation.inPrompt()) {
                generation.promptDone += generation.stepCount;
                prefixes.keep(generation, generation.promptDone - generation.stepCount);
                if (!generation.synthetic) {
                    counters.addPromptTokens(generation.stepCount);
                }
                if (generation.inPrompt()) {
                    outcome.deliver(generation, new PromptProgress(generation.promptDone, generation.request.prompt().length));
                    return;
                }
            }
            int token = generation.sampler.sample(logits.memory(), generation.logitRow * rowBytes, sampled);
            accept(generation, token);
        } catch (RuntimeException e) {
            outcome.fail(generation, Failures.of(e));
        }
    }

    private void accept(ActiveGeneration generation, int token) {
        if (generation.firstTokenAt == 0) {
            generation.firstTokenAt = System.nanoTime();
        }
        if (!generation.request.ignoreEnd() && tokenizer.isEndOfGeneration(token)) {
            outcome.complete(generation, FinishReason.STOP);
            return;
        }
        generation.pending[0] = token;
        generation.generated++;
        generation.sampler.accept(token);
        if (!generation.synthetic) {
            counters.addGeneratedToken();
        }
        String text = generation.text.append(token);
        if (!text.isEmpty()) {
            outcome.deliver(generation, new TextDelta(text, generation.text.takeUndelivered()));
        }
        if (generation.text.stopped()) {
            outcome.complete(generation, FinishReason.STOP);
        } else if (generation.generated == generation.limit) {
            outcome.complete(generation, FinishReason.LENGTH);
        }
    }
}
