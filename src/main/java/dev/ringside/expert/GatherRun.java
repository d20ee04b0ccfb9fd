package dev.ringside.expert;

import dev.ringside.gpu.GpuStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Brings in the missing experts of a gather: a batch is read while the one before is used. */
final class GatherRun {

    private final ExpertSource source;
    private final ExpertArena arena;
    private final ExpertCache cache;
    private final ReaderPool readers;
    private final ExpertStatistics statistics;
    private final GatherPlan plan;
    private final @Nullable Speculation speculation;
    /** Batch that is being read; empty when its count is 0. */
    private FetchBatch loading;
    /** Batch that arrived last. */
    private FetchBatch ready;
    private final Runnable progress = this::publishArrived;
    private @Nullable GpuStream stream;
    /** Experts of the batch being read that were published or given up already. */
    private int published;
    private @Nullable RuntimeException failure;

    GatherRun(ExpertSource source, ExpertArena arena, ExpertCache cache, ReaderPool readers, ExpertStatistics statistics, GatherPlan plan,
            @Nullable Speculation speculation) {
        this.source = source;
        this.arena = arena;
        this.cache = cache;
        this.readers = readers;
        this.statistics = statistics;
        this.plan = plan;
        this.speculation = speculation;
        FillLane urgent = Objects.requireNonNull(arena.lane(false));
        this.loading = new FetchBatch(source, arena, urgent);
        this.ready = new FetchBatch(source, arena, urgent);
    }

    /** Makes predictions visible that have arrived, before a gather looks for residents. */
    void collectPredictions(int layer, int[] experts, int count, GpuStream gatherStream) {
        if (speculation == null) {
            return;
        }
        try {
            speculation.collect(layer, experts, count, gatherStream);
        } catch (RuntimeException e) {
            // As in settle(): the copies may not have arrived.
            cache.clear();
            throw e;
        }
    }

    /** Hands over the residents of the plan, then its missing experts batch by batch. */
    void run(int layer, int misses, GpuStream gatherStream, WaveConsumer consumer) {
        if (misses == 0) {
            deliverResidents(gatherStream, consumer);
            return;
        }
        try {
            int staged = stage(layer, 0, misses);
            deliverResidents(gatherStream, consumer);
            while (staged < misses || loading.count > 0) {
                if (loading.count == 0) {
                    // All that was handed out is enqueued by now, so any slot may give way.
                    cache.beginStep();
                    staged += stage(layer, staged, misses);
                }
                settle(layer, gatherStream);
                if (staged < misses) {
                    staged += stage(layer, staged, misses);
                }
                deliver(ready.experts, ready.slots, ready.addresses, ready.count, gatherStream, consumer);
            }
        } catch (RuntimeException | Error e) {
            abandon();
            throw e;
        }
    }

    /** Reserves slots for the next missing experts and begins to read them; returns how many, 0 when no slot can give way now. */
    private int stage(int layer, int from, int misses) {
        int length = Math.min(Math.min(arena.batchLimit(), misses - from), cache.available());
        if (length == 0) {
            return 0;
        }
        cache.reserve(length, loading.slots);
        loading.take(layer, plan.missing, from, length);
        long begun = System.nanoTime();
        try {
            loading.lane().begin(layer, loading.experts, loading.slots, length);
        } catch (RuntimeException e) {
            // Copies in front of the event that failed may not have arrived.
            releaseReserved(loading);
            loading.count = 0;
            forgetAll();
            throw e;
        }
        loading.waitNanos = System.nanoTime() - begun;
        readers.start(loading, loading.prepare(readers.parallelism()));
        return length;
    }

    /** Waits for the batch that is being read and makes it the ready one. What failed to arrive is thrown after the rest was published. */
    private void settle(int layer, GpuStream gatherStream) {
        long begun = System.nanoTime();
        // What was handed out before is enqueued by now; what is published from here on stays until it is handed out too.
        cache.beginStep();
        stream = gatherStream;
        published = 0;
        failure = null;
        readers.finish(progress);
        publishArrived();
        statistics.waited(layer, System.nanoTime() - begun + loading.waitNanos);
        FetchBatch batch = loading;
        loading = ready;
        loading.count = 0;
        ready = batch;
        releaseReserved(batch);
        try {
            batch.lane().seal(gatherStream);
        } catch (RuntimeException e) {
            batch.count = 0;
            forgetAll();
            failure = joined(failure, e);
        }
        RuntimeException problem = failure;
        failure = null;
        if (problem != null) {
            throw problem;
        }
    }

    /** Publishes what is whole while others are still being read; in order, so that no later choice depends on who read faster. */
    private void publishArrived() {
        while (published < loading.count && loading.settled(published)) {
            publish(loading, published++, Objects.requireNonNull(stream));
        }
    }

    private void publish(FetchBatch batch, int index, GpuStream gatherStream) {
        FillLane lane = batch.lane();
        int layer = batch.layer;
        ExpertReadException unread = batch.failure(index);
        if (unread != null) {
            lane.discard(index);
            statistics.readFailed(layer);
            failure = joined(failure, unread);
            return;
        }
        int key = ExpertKey.of(layer, batch.experts[index]);
        long bytes = lane.present(index) ? 0 : source.layout().expertBytes(layer);
        try {
            if (!lane.publish(index, gatherStream)) {
                throw new IllegalStateException("The host tier lost " + ExpertKey.toString(key));
            }
        } catch (RuntimeException e) {
            failure = joined(failure, e);
            return;
        }
        cache.publish(batch.slots[index], key);
        if (!plan.admit()) {
            cache.demote(batch.slots[index]);
        }
        statistics.missed(layer, bytes);
    }

    private static RuntimeException joined(@Nullable RuntimeException first, RuntimeException further) {
        if (first == null) {
            return further;
        }
        if (!first.equals(further)) {
            first.addSuppressed(further);
        }
        return first;
    }

    private void deliverResidents(GpuStream gatherStream, WaveConsumer consumer) {
        if (plan.residents > 0) {
            deliver(plan.residentExperts, plan.residentSlots, plan.residentAddresses, plan.residents, gatherStream, consumer);
        }
    }

    private void deliver(int[] experts, int[] batchSlots, long[] addresses, int count, GpuStream gatherStream, WaveConsumer consumer) {
        try {
            consumer.accept(experts, addresses, count);
        } catch (RuntimeException | Error e) {
            try {
                // It may have enqueued kernels before it failed.
                arena.used(batchSlots, count, gatherStream);
            } catch (RuntimeException further) {
                e.addSuppressed(further);
            }
            throw e;
        }
        arena.used(batchSlots, count, gatherStream);
    }

    /** Leaves no reader at work and no slot reserved behind a gather that failed. */
    private void abandon() {
        readers.finish();
        for (int i = 0; i < loading.count; i++) {
            loading.lane().discard(i);
        }
        releaseReserved(loading);
        loading.count = 0;
    }

    private void releaseReserved(FetchBatch batch) {
        for (int i = 0; i < batch.count; i++) {
            if (cache.isReserved(batch.slots[i])) {
                cache.release(batch.slots[i]);
            }
        }
    }

    private void forgetAll() {
        if (speculation != null) {
            speculation.abandon();
        }
        cache.clear();
    }

    /** Ends what is read ahead. */
    void forgetPredictions() {
        if (speculation != null) {
            speculation.abandon();
            speculation.settle();
        }
    }
}
