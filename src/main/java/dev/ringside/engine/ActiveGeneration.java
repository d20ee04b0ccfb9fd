package dev.ringside.engine;

import dev.ringside.sampling.Sampler;
import dev.ringside.sequence.Checkpoint;
import dev.ringside.sequence.SequenceState;
import dev.ringside.tokenizer.Tokenizer;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A request on its way through the engine. All but {@link #cancel} belongs to the engine thread once it is submitted. */
final class ActiveGeneration implements Generation {

    /** Value of {@link #logitRow} when the step computes no logits for this sequence. */
    static final int NO_LOGITS = -1;

    final GenerationRequest request;
    final GenerationListener listener;
    final Sampler sampler;
    final OutputText text;
    /** Most tokens to generate: what the request asks for, or what the context has room for. */
    final int limit;
    /** Whether it is warm-up, which no counter shows. */
    final boolean synthetic;
    /** The token sampled last, whose row is computed next, and drafts of those behind it. */
    final int[] pending;
    final long submittedAt = System.nanoTime();

    /** Where it is on its way. */
    enum Phase {
        /** It has no state yet. */
        WAITING,
        /** Its state is on the device. */
        ACTIVE,
        /** Its state is in a checkpoint. */
        SUSPENDED
    }

    volatile Phase phase = Phase.WAITING;
    @Nullable
    SequenceState state;
    /** Its state while it is suspended; afterwards memory for the next time. */
    @Nullable
    Checkpoint checkpoint;
    /** Order in which generations came; those that came first have the higher claim. */
    long arrival;
    /** Steps since it was started or resumed. */
    int stepsRun;
    long suspendedAt;
    /** Whether it was suspended for so long that it yields to nobody any more. */
    boolean patienceLost;
    /** Prompt tokens that were not computed since a prefix had them. */
    int cachedTokens;
    /** Positions at which its state becomes a prefix, ascending. */
    int[] boundaries = {};
    int promptDone;
    int generated;
    int stepCount;
    int logitRow = NO_LOGITS;
    /** Position in front of a step inside the prompt, or -1 when the step was none. */
    int promptStepFrom = -1;
    /** The token behind the last committed row, also when that ends the text. */
    int next;
    /** Why it has ended, while that is not yet told. */
    @Nullable
    FinishReason finish;
    /** What is to fail it at the end of the step. */
    @Nullable
    Throwable fault;
    /** Whether the draft block has followed it so far. */
    boolean draftable = true;
    /** Drafts in {@link #pending}. */
    int draftCount;
    /** Drafts to be made, while they are made. */
    int draftsWanted;
    /** Row of the draft block's last run that its next draft is based on. */
    int draftRow;
    /** Tokens its constraint had accepted before drafts were made. */
    int constrained;
    /** Running share of drafts that were accepted. */
    double acceptance;
    /** Steps since it drafted. */
    int idleSteps;
    long startedAt;
    long firstTokenAt;
    boolean ended;

    private final int promptLength;
    private final Thread engine;
    private volatile boolean cancelled;
    private volatile boolean finishing;

    /** @param maxDrafts most drafts of a step */
    ActiveGeneration(GenerationRequest request, GenerationListener listener, Sampler sampler, OutputText text, int limit, boolean synthetic,
            int maxDrafts, Thread engine) {
        this.pending = new int[1 + maxDrafts];
        this.request = request;
        this.promptLength = request.prompt().length;
        this.listener = listener;
        this.sampler = sampler;
        this.text = text;
        this.limit = limit;
        this.synthetic = synthetic;
        this.engine = engine;
    }

    @Override
    public String id() {
        return request.id();
    }

    @Override
    public void cancel() {
        if (!cancelled) {
            cancelled = true;
            LockSupport.unpark(engine);
        }
    }

    @Override
    public void finish() {
        if (!finishing) {
            finishing = true;
            LockSupport.unpark(engine);
        }
    }

    @Override
    public boolean isSuspended() {
        return phase == Phase.SUSPENDED;
    }

    /** Whether it gives way to interactive requests. */
    boolean yields() {
        return request.priority() == Priority.BATCH && !patienceLost;
    }

    /** Whether it has the higher claim to a place: those that yield come behind those that don't, else the one that came first is first. */
    boolean outranks(ActiveGeneration other) {
        return yields() == other.yields() ? arrival < other.arrival : other.yields();
    }

    /** Whether it is to end without a result. */
    boolean isCancelled() {
        return cancelled || finishing && generated == 0;
    }

    /** Whether it is to end with what it has. */
    boolean isFinishing() {
        return finishing && !cancelled && generated > 0;
    }

    /** Whether it generates in the next step. */
    boolean goesOn() {
        return !ended && finish == null && !inPrompt();
    }

    /** Most rows it computes: the last token it generates gets none. */
    int maxPositions() {
        return request.prompt().length + limit - 1;
    }

    /** Whether a token ends it: an end token, which a request may ask to ignore, but not where a constraint says that its text is complete. */
    boolean endsAt(int token, Tokenizer tokenizer) {
        return tokenizer.isEndOfGeneration(token) && (!request.ignoreEnd() || sampler.constraint() != null);
    }

    /** Rows of its part of the step at hand without drafts. */
    int plainRows() {
        return inPrompt() ? stepCount : 1;
    }

    boolean inPrompt() {
        return promptDone < promptLength;
    }

    int promptLeft() {
        return promptLength - promptDone;
    }

    /** The first boundary behind a position, or a number larger than any position. */
    int boundaryAfter(int position) {
        for (int boundary : boundaries) {
            if (boundary > position) {
                return boundary;
            }
        }
        return Integer.MAX_VALUE;
    }

    SequenceState requireState() {
        return Objects.requireNonNull(state, "an active sequence has state");
    }

    Checkpoint requireCheckpoint() {
        return Objects.requireNonNull(checkpoint, "a suspended sequence has a checkpoint");
    }

    /** As {@link GenerationListener#lookAhead}. */
    int lookAhead() {
        SequenceState current = state;
        int read = text.lookAhead() + listener.lookAhead() + request.logprobs() + (request.sampling().temperature() > 0 ? 1 : 0)
                + (sampler.constraint() == null ? 0 : 1);
        if (current != null && current.preparedRows() > 0) {
            read += current.pagesNeeded(1) + current.token(current.position() + current.preparedRows() - 1);
        }
        return read;
    }

    /** Drops the rows of the step at hand. */
    void rollback() {
        SequenceState current = state;
        if (current != null && current.preparedRows() > 0) {
            current.rollback();
        }
    }

    Usage usage() {
        return new Usage(request.prompt().length, generated, cachedTokens);
    }

    Timings timings(long now) {
        long firstToken = firstTokenAt == 0 ? now : firstTokenAt;
        return new Timings(startedAt - submittedAt, firstToken - startedAt, now - firstToken);
    }
}
