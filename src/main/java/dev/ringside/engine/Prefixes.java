package dev.ringside.engine;

import dev.ringside.sequence.PrefixInfo;
import dev.ringside.sequence.PrefixSnapshot;
import dev.ringside.sequence.PrefixStore;
import dev.ringside.sequence.SequenceState;
import dev.ringside.sequence.StatePool;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the engine does with the prefix store, if there is one: where prompts start, and which of their positions are kept for others. */
final class Prefixes {

    private static final Logger log = LoggerFactory.getLogger(InferenceEngine.class);

    private final @Nullable PrefixStore store;
    private final int pageTokens;

    Prefixes(StatePool pool, @Nullable PrefixStore store) {
        this.store = store;
        this.pageTokens = pool.layout().pageTokens();
    }

    /** Makes a generation with a new sequence start behind the longest prefix of its prompt, and plans what of it is kept. */
    void start(ActiveGeneration generation) {
        PrefixStore prefixes = store;
        if (prefixes == null || generation.synthetic) {
            return;
        }
        int[] prompt = generation.request.prompt();
        int common = prefixes.common(prompt);
        try {
            generation.cachedTokens = prefixes.restore(generation.requireState(), prompt);
        } catch (RuntimeException e) {
            // It is computed instead.
            log.warn("No prefix could be used for {}: {}", generation.id(), e.toString());
        }
        generation.promptDone = generation.cachedTokens;
        generation.boundaries = boundaries(prefixes, generation.request, common, generation.cachedTokens);
    }

    /**
     * Where others may want to start: every interval, at the last page border in front of the last token, where other prompts were seen to
     * part from this one, and where the request says.
     */
    private int[] boundaries(PrefixStore prefixes, GenerationRequest request, int common, int start) {
        int length = request.prompt().length;
        if (prefixes.startsAnywhere()) {
            return new int[] {length};
        }
        int interval = Math.max(pageTokens, prefixes.options().interval() / pageTokens * pageTokens);
        IntStream positions = IntStream.iterate(interval, position -> position < length, position -> position + interval);
        positions = IntStream.concat(positions, IntStream.of((length - 1) / pageTokens * pageTokens, common));
        positions = IntStream.concat(positions, Arrays.stream(request.boundaries()));
        return positions.filter(position -> position > start && position < length && position >= pageTokens).sorted().distinct().toArray();
    }

    /**
     * Whether a running prompt is about to keep more of what a waiting one begins with than there is now: it would only compute the same
     * beside it.
     */
    boolean isWorthWaiting(ActiveGeneration waiting, List<ActiveGeneration> active) {
        PrefixStore prefixes = store;
        if (prefixes == null || waiting.synthetic) {
            return false;
        }
        int[] prompt = waiting.request.prompt();
        int expected = 0;
        for (ActiveGeneration running : active) {
            if (running.inPrompt() && !running.synthetic) {
                expected = Math.max(expected, expected(prefixes, running, prompt));
            }
        }
        return expected >= pageTokens && expected - prefixes.match(prompt) >= pageTokens;
    }

    /** Tokens that a prompt could begin behind once a running one is through. */
    private static int expected(PrefixStore prefixes, ActiveGeneration running, int[] prompt) {
        int[] other = running.request.prompt();
        int mismatch = Arrays.mismatch(other, prompt);
        int common = Math.min(mismatch < 0 ? prompt.length : mismatch, prompt.length - 1);
        if (prefixes.startsAnywhere()) {
            return common;
        }
        int last = 0;
        for (int boundary = running.boundaryAfter(running.promptDone); boundary <= common; boundary = running.boundaryAfter(boundary)) {
            last = boundary;
        }
        return last;
    }

    /** Keeps the boundaries that the last step of a sequence went over. */
    void keep(ActiveGeneration generation, int before) {
        PrefixStore prefixes = store;
        if (prefixes == null || generation.synthetic) {
            return;
        }
        SequenceState state = generation.requireState();
        for (int boundary = generation.boundaryAfter(before); boundary <= state.position(); boundary = generation.boundaryAfter(boundary)) {
            save(prefixes, generation, state, boundary);
        }
    }

    /** Keeps the end of a generation that is complete: the next message of the conversation goes on from there. */
    void keepEnd(ActiveGeneration generation) {
        PrefixStore prefixes = store;
        SequenceState state = generation.state;
        if (prefixes == null || state == null || generation.synthetic || state.preparedRows() > 0 || state.position() < pageTokens) {
            return;
        }
        save(prefixes, generation, state, state.position());
    }

    private static void save(PrefixStore prefixes, ActiveGeneration generation, SequenceState state, int position) {
        if (!state.canSave(position)) {
            return;
        }
        try {
            prefixes.save(state, position);
        } catch (RuntimeException | OutOfMemoryError e) {
            log.warn("{} tokens of {} could not be kept as a prefix: {}", position, generation.id(), e.toString());
        }
    }

    /** Pages of a prompt that take no further memory. */
    int pagesInUse(int[] prompt) {
        return store == null ? 0 : store.pagesInUse(prompt);
    }

    /** The store, to restore through; null without one. */
    @Nullable
    PrefixStore store() {
        return store;
    }

    /** Drops what is out of date. */
    void expire() {
        if (store != null) {
            store.expire();
        }
    }

    PrefixSnapshot snapshot() {
        return store == null ? PrefixSnapshot.NONE : store.snapshot();
    }

    List<PrefixInfo> list(int most) {
        return store == null ? List.of() : store.list(most);
    }

    int drop(@Nullable String id) {
        return store == null ? 0 : store.drop(id);
    }

    void close() {
        if (store != null) {
            store.close();
        }
    }
}
