package dev.ringside.ops;

import org.jspecify.annotations.Nullable;

/** Every meter of Ringside: the one list of names, units and descriptions. {@code docs/metrics.md} is made from it. */
enum RingsideMeter {

    EXPERT_SLOTS("ringside.experts.slots", Kind.GAUGE, null, "Experts that fit in the arena"),
    EXPERTS_RESIDENT("ringside.experts.resident", Kind.GAUGE, null, "Experts in slots now"),
    EXPERT_HITS("ringside.experts.hits", Kind.COUNTER, null, "Experts that were needed and in a slot"),
    EXPERT_MISSES("ringside.experts.misses", Kind.COUNTER, null, "Experts that were needed and had to be read"),
    EXPERT_EVICTIONS("ringside.experts.evictions", Kind.COUNTER, null, "Experts that gave way to others"),
    EXPERT_BYTES_READ("ringside.experts.bytes.read", Kind.COUNTER, null, "Bytes of experts read from the model file"),
    EXPERT_WAIT("ringside.experts.wait", Kind.COUNTER, "seconds", "Time the engine waited for experts to arrive"),
    EXPERT_READ_FAILURES("ringside.experts.read.failures", Kind.COUNTER, null, "Reads of experts that failed"),
    CHECKPOINT_BYTES("ringside.checkpoints.bytes", Kind.GAUGE, "bytes", "Bytes of the state of running sequences"),
    CHECKPOINT_BUDGET("ringside.checkpoints.budget", Kind.GAUGE, "bytes", "Bytes set aside for sequence state"),
    CHECKPOINT_ENTRIES("ringside.checkpoints.entries", Kind.GAUGE, null, "Prefixes in memory"),
    CHECKPOINT_MEMORY("ringside.checkpoints.memory", Kind.GAUGE, "bytes", "Bytes of host memory of prefixes"),
    CHECKPOINT_PAGES("ringside.checkpoints.pages", Kind.GAUGE, null, "Pages of the device that prefixes hold"),
    CHECKPOINT_PAGES_SHARED("ringside.checkpoints.pages.shared", Kind.GAUGE, null, "Pages of the device that several hold"),
    CHECKPOINT_HITS("ringside.checkpoints.hits", Kind.COUNTER, null, "Requests that began behind a prefix"),
    CHECKPOINT_MISSES("ringside.checkpoints.misses", Kind.COUNTER, null, "Requests that found no prefix"),
    CHECKPOINT_TOKENS_SAVED("ringside.checkpoints.tokens.saved", Kind.COUNTER, null, "Prompt tokens that were not computed again"),
    CHECKPOINT_EVICTIONS("ringside.checkpoints.evictions", Kind.COUNTER, null, "Prefixes that gave way to others or expired"),
    CHECKPOINT_FAILURES("ringside.checkpoints.failures", Kind.COUNTER, null, "Prefixes that could not be saved or restored"),
    CHECKPOINT_SPILL_ENTRIES("ringside.checkpoints.spill.entries", Kind.GAUGE, null, "Prefixes in files"),
    CHECKPOINT_SPILL("ringside.checkpoints.spill", Kind.GAUGE, "bytes", "Bytes of files with prefixes"),
    CHECKPOINT_SPILL_REFUSED("ringside.checkpoints.spill.refused", Kind.COUNTER, null,
            "Files that were ignored: damaged or of something else"),
    CHECKPOINT_OLDEST("ringside.checkpoints.oldest", Kind.GAUGE, "seconds", "Age of the oldest prefix"),
    CHECKPOINT_SUSPENSIONS("ringside.checkpoints.suspensions", Kind.COUNTER, null, "Times that a request was moved out of the device"),
    SCHEDULER_ACTIVE("ringside.scheduler.active", Kind.GAUGE, null, "Requests being computed"),
    SCHEDULER_QUEUED("ringside.scheduler.queued", Kind.GAUGE, null, "Requests admitted and waiting for a place"),
    SCHEDULER_SUSPENDED("ringside.scheduler.suspended", Kind.GAUGE, null, "Requests whose state was moved out of the device"),
    SCHEDULER_CAPACITY("ringside.scheduler.capacity", Kind.GAUGE, null, "Places for requests, running and waiting together"),
    SCHEDULER_COMPLETED("ringside.scheduler.completed", Kind.COUNTER, null, "Requests that ended with a finish reason"),
    SCHEDULER_CANCELLED("ringside.scheduler.cancelled", Kind.COUNTER, null, "Requests whose client left"),
    SCHEDULER_FAILED("ringside.scheduler.failed", Kind.COUNTER, null, "Requests that ended with an error after they were admitted"),
    SCHEDULER_REJECTED("ringside.scheduler.rejected", Kind.COUNTER, null, "Requests refused because all places were taken"),
    ENGINE_STEPS("ringside.engine.steps", Kind.COUNTER, null, "Steps computed"),
    TOKENS_PROMPT("ringside.tokens.prompt", Kind.COUNTER, null, "Prompt tokens computed"),
    TOKENS_GENERATED("ringside.tokens.generated", Kind.COUNTER, null, "Tokens generated");

    /** How a meter behaves. */
    enum Kind {
        /** Goes up and down. */
        GAUGE,
        /** Only grows. */
        COUNTER
    }

    private final String meterName;
    private final Kind kind;
    private final @Nullable String unit;
    private final String description;

    RingsideMeter(String meterName, Kind kind, @Nullable String unit, String description) {
        this.meterName = meterName;
        this.kind = kind;
        this.unit = unit;
        this.description = description;
    }

    String meterName() {
        return meterName;
    }

    Kind kind() {
        return kind;
    }

    @Nullable
    String unit() {
        return unit;
    }

    String description() {
        return description;
    }
}
