package dev.ringside.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** What the engine thread counts of drafts and others read. */
final class SpeculationCounters {

    private final boolean enabled;
    private final AtomicLongArray drafted;
    private final AtomicLongArray accepted;
    private final AtomicLong steps = new AtomicLong();
    private final AtomicLong tokens = new AtomicLong();

    SpeculationCounters(int maxDrafts) {
        this.enabled = maxDrafts > 0;
        this.drafted = new AtomicLongArray(maxDrafts);
        this.accepted = new AtomicLongArray(maxDrafts);
    }

    /** A sequence got tokens in a step with so many drafts, of which so many were accepted. */
    void verified(int drafts, int acceptedDrafts, int newTokens) {
        for (int i = 0; i < drafts; i++) {
            drafted.setRelease(i, drafted.getPlain(i) + 1);
        }
        for (int i = 0; i < acceptedDrafts; i++) {
            accepted.setRelease(i, accepted.getPlain(i) + 1);
        }
        steps.setRelease(steps.getPlain() + 1);
        tokens.setRelease(tokens.getPlain() + newTokens);
    }

    SpeculationSnapshot snapshot() {
        List<Long> draftedAt = list(drafted);
        List<Long> acceptedAt = list(accepted);
        return new SpeculationSnapshot(enabled, drafted.length(), sum(draftedAt), sum(acceptedAt), draftedAt, acceptedAt,
                steps.getAcquire(), tokens.getAcquire());
    }

    private static List<Long> list(AtomicLongArray values) {
        List<Long> list = new ArrayList<>();
        for (int i = 0; i < values.length(); i++) {
            list.add(values.getAcquire(i));
        }
        return list;
    }

    private static long sum(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).sum();
    }
}
