package dev.ringside.ops;

import dev.ringside.expert.ExpertSnapshot;
import dev.ringside.expert.ShardSnapshot;
import dev.ringside.sequence.PrefixSnapshot;
import dev.ringside.serving.SchedulerSnapshot;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;
import org.springframework.stereotype.Component;

/** Registers every {@link RingsideMeter}; they are read from snapshots when a registry asks, the engine knows nothing of them. */
@Component
final class RingsideMeters implements MeterBinder {

    private final EngineViews views;

    RingsideMeters(EngineViews views) {
        this.views = views;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (RingsideMeter meter : RingsideMeter.values()) {
            ToDoubleFunction<EngineViews> value = value(meter);
            switch (meter.kind()) {
                case GAUGE -> Gauge.builder(meter.meterName(), views, value).baseUnit(meter.unit()).description(meter.description())
                        .strongReference(true).register(registry);
                case COUNTER -> FunctionCounter.builder(meter.meterName(), views, value).baseUnit(meter.unit())
                        .description(meter.description()).register(registry);
            }
        }
    }

    private static ToDoubleFunction<EngineViews> value(RingsideMeter meter) {
        return switch (meter) {
            case EXPERT_SLOTS -> experts(ExpertSnapshot::slots);
            case EXPERTS_RESIDENT -> experts(ExpertSnapshot::resident);
            case EXPERT_HITS -> experts(ExpertSnapshot::hits);
            case EXPERT_MISSES -> experts(ExpertSnapshot::misses);
            case EXPERT_EVICTIONS -> experts(ExpertSnapshot::evictions);
            case EXPERT_BYTES_READ -> experts(ExpertSnapshot::bytesRead);
            case EXPERT_WAIT -> experts(now -> now.waitNanos() / 1e9);
            case EXPERT_READ_FAILURES -> experts(ExpertSnapshot::readFailures);
            case EXPERT_WAITS -> experts(ExpertSnapshot::waits);
            case EXPERT_READS -> experts(now -> now.tier().total(ShardSnapshot::readCount));
            case EXPERT_READ_TIME -> experts(now -> now.tier().total(ShardSnapshot::readNanos) / 1e9);
            case EXPERT_BYTES_DIRECT -> experts(now -> now.tier().total(ShardSnapshot::directBytes));
            case EXPERT_BYTES_BUFFERED -> experts(now -> now.tier().total(ShardSnapshot::bufferedBytes));
            case EXPERT_READ_RETRIES -> experts(now -> now.tier().retries());
            case EXPERT_READ_REJECTED -> experts(now -> now.tier().total(ShardSnapshot::rejected));
            case EXPERT_FILES_OPEN -> experts(now -> now.tier().total(shard -> shard.usable() ? 0 : 1));
            case EXPERT_DIRECT_FALLBACKS -> experts(now -> now.tier().total(ShardSnapshot::fallbacks));
            case EXPERT_PREFETCH_ISSUED -> experts(ExpertSnapshot::prefetchIssued);
            case EXPERT_PREFETCH_USED -> experts(ExpertSnapshot::prefetchUsed);
            case EXPERT_PREFETCH_UNUSED -> experts(ExpertSnapshot::prefetchUnused);
            case EXPERT_HOST_SLOTS -> experts(now -> now.tier().host().slots());
            case EXPERT_HOST_RESIDENT -> experts(now -> now.tier().host().resident());
            case EXPERT_HOST_HITS -> experts(now -> now.tier().host().hits());
            case EXPERT_HOST_EVICTIONS -> experts(now -> now.tier().host().evictions());
            case EXPERT_STAGED -> experts(now -> now.tier().staged());
            case EXPERT_QUEUE_URGENT -> experts(now -> now.tier().urgentDepth());
            case EXPERT_QUEUE_BACKGROUND -> experts(now -> now.tier().backgroundDepth());
            case EXPERT_EVICTIONS_NEXT_USE -> chosen("next-use");
            case EXPERT_EVICTIONS_FREQUENT -> chosen("frequent");
            case EXPERT_EVICTIONS_WINDOW -> chosen("window:8");
            case EXPERT_EVICTIONS_MRU -> chosen("mru");
            case CHECKPOINT_BYTES -> views -> views.state().get().bytesUsed();
            case CHECKPOINT_BUDGET -> views -> views.state().get().bytesTotal();
            case CHECKPOINT_ENTRIES -> prefixes(PrefixSnapshot::entries);
            case CHECKPOINT_MEMORY -> prefixes(PrefixSnapshot::bytes);
            case CHECKPOINT_PAGES -> prefixes(PrefixSnapshot::pages);
            case CHECKPOINT_PAGES_SHARED -> views -> views.state().get().pagesShared();
            case CHECKPOINT_HITS -> prefixes(PrefixSnapshot::hits);
            case CHECKPOINT_MISSES -> prefixes(PrefixSnapshot::misses);
            case CHECKPOINT_TOKENS_SAVED -> prefixes(PrefixSnapshot::tokensSaved);
            case CHECKPOINT_EVICTIONS -> prefixes(PrefixSnapshot::evictions);
            case CHECKPOINT_FAILURES -> prefixes(PrefixSnapshot::failures);
            case CHECKPOINT_SPILL_ENTRIES -> prefixes(PrefixSnapshot::spilled);
            case CHECKPOINT_SPILL -> prefixes(PrefixSnapshot::spillBytes);
            case CHECKPOINT_SPILL_REFUSED -> prefixes(PrefixSnapshot::spillRefused);
            case CHECKPOINT_OLDEST -> prefixes(PrefixSnapshot::oldestSeconds);
            case CHECKPOINT_SUSPENSIONS -> views -> views.engine().get().suspensions();
            case SPECULATION_DRAFTED -> views -> views.engine().get().speculation().drafted();
            case SPECULATION_ACCEPTED -> views -> views.engine().get().speculation().accepted();
            case SPECULATION_STEPS -> views -> views.engine().get().speculation().steps();
            case SPECULATION_TOKENS -> views -> views.engine().get().speculation().tokens();
            case SCHEDULER_ACTIVE -> scheduler(SchedulerSnapshot::active);
            case SCHEDULER_QUEUED -> scheduler(SchedulerSnapshot::queued);
            case SCHEDULER_SUSPENDED -> scheduler(SchedulerSnapshot::suspended);
            case SCHEDULER_CAPACITY -> scheduler(now -> now.maxActive() + now.queueCapacity());
            case SCHEDULER_COMPLETED -> scheduler(SchedulerSnapshot::completed);
            case SCHEDULER_CANCELLED -> scheduler(SchedulerSnapshot::cancelled);
            case SCHEDULER_FAILED -> scheduler(SchedulerSnapshot::failed);
            case SCHEDULER_REJECTED -> scheduler(SchedulerSnapshot::rejected);
            case SCHEDULER_QUEUED_TOKENS -> scheduler(SchedulerSnapshot::queuedTokens);
            case SCHEDULER_BREAKER -> scheduler(now -> now.breaker().equals("open") ? 1 : 0);
            case WATCHDOG_STUCK -> views -> views.watchdog().stuckSteps();
            case ENGINE_PROMPT_BUDGET -> views -> views.engine().get().promptBudget();
            case ENGINE_STEPS -> views -> views.engine().get().steps();
            case TOKENS_PROMPT -> views -> views.engine().get().promptTokens();
            case TOKENS_GENERATED -> views -> views.engine().get().generatedTokens();
        };
    }

    private static ToDoubleFunction<EngineViews> experts(ToDoubleFunction<ExpertSnapshot> value) {
        return views -> value.applyAsDouble(views.experts().get());
    }

    private static ToDoubleFunction<EngineViews> chosen(String policy) {
        return experts(now -> now.tier().evictionsBy().getOrDefault(policy, 0L));
    }

    private static ToDoubleFunction<EngineViews> prefixes(ToDoubleFunction<PrefixSnapshot> value) {
        return views -> value.applyAsDouble(views.prefixes().get());
    }

    private static ToDoubleFunction<EngineViews> scheduler(ToDoubleFunction<SchedulerSnapshot> value) {
        return views -> value.applyAsDouble(views.scheduler().get());
    }
}
