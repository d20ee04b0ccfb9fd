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
    EXPERT_WAITS("ringside.experts.waits", Kind.COUNTER, null, "Times that the engine waited for readers or copies"),
    EXPERT_READS("ringside.experts.reads", Kind.COUNTER, null,
            "Reads that succeeded: matrices of experts or pieces of them"),
    EXPERT_READ_TIME("ringside.experts.read.time", Kind.COUNTER, "seconds",
            "Time that readers spent in these reads, of all readers together"),
    EXPERT_BYTES_DIRECT("ringside.experts.bytes.read.direct", Kind.COUNTER, null,
            "Bytes that were read past the page cache"),
    EXPERT_BYTES_BUFFERED("ringside.experts.bytes.read.buffered", Kind.COUNTER, null,
            "Bytes that were read through the page cache"),
    EXPERT_READ_RETRIES("ringside.experts.read.retries", Kind.COUNTER, null, "Reads that were tried again"),
    EXPERT_READ_REJECTED("ringside.experts.read.rejected", Kind.COUNTER, null,
            "Reads that were not tried because their file had failed repeatedly"),
    EXPERT_FILES_OPEN("ringside.experts.files.failing", Kind.GAUGE, null,
            "Model files that are not read because they failed repeatedly (circuit breaker open)"),
    EXPERT_DIRECT_FALLBACKS("ringside.experts.direct.fallbacks", Kind.COUNTER, null,
            "Model files whose direct reads were given up"),
    EXPERT_PREFETCH_ISSUED("ringside.experts.prefetch.issued", Kind.COUNTER, null,
            "Experts that were read before anybody needed them"),
    EXPERT_PREFETCH_USED("ringside.experts.prefetch.used", Kind.COUNTER, null, "Those that were needed then"),
    EXPERT_PREFETCH_UNUSED("ringside.experts.prefetch.unused", Kind.COUNTER, null, "Those that were not, or did not arrive"),
    EXPERT_HOST_SLOTS("ringside.experts.host.slots", Kind.GAUGE, null, "Experts that fit in the host tier"),
    EXPERT_HOST_RESIDENT("ringside.experts.host.resident", Kind.GAUGE, null, "Experts in the host tier"),
    EXPERT_HOST_HITS("ringside.experts.host.hits", Kind.COUNTER, null, "Misses of the arena that the host tier had"),
    EXPERT_HOST_EVICTIONS("ringside.experts.host.evictions", Kind.COUNTER, null,
            "Experts that gave way to others in the host tier"),
    EXPERT_STAGED("ringside.experts.staged", Kind.GAUGE, null, "Experts in the staging ring that are not copied yet"),
    EXPERT_QUEUE_URGENT("ringside.experts.queue.urgent", Kind.GAUGE, null,
            "Reads that the engine waits for and no reader has begun"),
    EXPERT_QUEUE_BACKGROUND("ringside.experts.queue.background", Kind.GAUGE, null, "Reads ahead that no reader has begun"),
    EXPERT_EVICTIONS_NEXT_USE("ringside.experts.evictions.next.use", Kind.COUNTER, null,
            "Evictions while the adaptive policy followed next-use"),
    EXPERT_EVICTIONS_FREQUENT("ringside.experts.evictions.frequent", Kind.COUNTER, null,
            "Evictions while it followed frequent"),
    EXPERT_EVICTIONS_WINDOW("ringside.experts.evictions.window", Kind.COUNTER, null, "Evictions while it followed window:8"),
    EXPERT_EVICTIONS_MRU("ringside.experts.evictions.mru", Kind.COUNTER, null, "Evictions while it followed mru"),
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
    SPECULATION_DRAFTED("ringside.speculation.drafted", Kind.COUNTER, null, "Draft tokens that were verified"),
    SPECULATION_ACCEPTED("ringside.speculation.accepted", Kind.COUNTER, null, "Those that were what was sampled"),
    SPECULATION_STEPS("ringside.speculation.steps", Kind.COUNTER, null, "Steps in which a sequence generated, each sequence counted"),
    SPECULATION_TOKENS("ringside.speculation.tokens", Kind.COUNTER, null, "Tokens generated in them"),
    SCHEDULER_ACTIVE("ringside.scheduler.active", Kind.GAUGE, null, "Requests being computed"),
    SCHEDULER_QUEUED("ringside.scheduler.queued", Kind.GAUGE, null, "Requests admitted and waiting for a place"),
    SCHEDULER_SUSPENDED("ringside.scheduler.suspended", Kind.GAUGE, null, "Requests whose state was moved out of the device"),
    SCHEDULER_CAPACITY("ringside.scheduler.capacity", Kind.GAUGE, null, "Places for requests, running and waiting together"),
    SCHEDULER_COMPLETED("ringside.scheduler.completed", Kind.COUNTER, null, "Requests that ended with a finish reason"),
    SCHEDULER_CANCELLED("ringside.scheduler.cancelled", Kind.COUNTER, null, "Requests whose client left"),
    SCHEDULER_FAILED("ringside.scheduler.failed", Kind.COUNTER, null, "Requests that ended with an error after they were admitted"),
    SCHEDULER_REJECTED("ringside.scheduler.rejected", Kind.COUNTER, null, "Requests refused because all places were taken"),
    SCHEDULER_QUEUED_TOKENS("ringside.scheduler.queued.tokens", Kind.GAUGE, null, "Prompt tokens of requests that wait for a place"),
    SCHEDULER_BREAKER("ringside.scheduler.breaker", Kind.GAUGE, null,
            "1 while requests are refused after faults of device or expert reads"),
    WATCHDOG_STUCK("ringside.watchdog.stuck", Kind.COUNTER, null, "Steps that lasted longer than ringside.watchdog.stuck-after"),
    ENGINE_PROMPT_BUDGET("ringside.engine.prompt.budget", Kind.GAUGE, null, "Prompt tokens that the last step with some was allowed"),
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
