package dev.ringside.expert;

import dev.ringside.gpu.GpuStream;

/**
 * Reads experts that will probably be asked for, in the background: one batch at a time, into slots that would give way anyway. A gather
 * that needs an expert of the batch waits for it instead of reading it again. Experts that were not asked for when their layer was computed
 * give way first.
 */
final class Speculation {

    /** Share of the arena that predictions may occupy, so that a gather always finds slots. */
    private static final int SHARE = 4;

    private final ExpertSource source;
    private final ExpertCache cache;
    private final ReaderPool readers;
    private final ExpertStatistics statistics;
    private final FillLane lane;
    private final FetchBatch batch;
    private final int[] wanted;
    /** Slots filled by the last batch, with the keys they got, until it is known whether they were asked for. */
    private final int[] filled;
    private final int[] filledKeys;
    private int filledCount;
    private boolean active;

    Speculation(ExpertSource source, ExpertArena arena, FillLane lane, ExpertCache cache, ReaderPool readers, ExpertStatistics statistics) {
        this.source = source;
        this.cache = cache;
        this.readers = readers;
        this.statistics = statistics;
        this.lane = lane;
        this.batch = new FetchBatch(source, arena, lane);
        this.wanted = new int[lane.limit()];
        this.filled = new int[lane.limit()];
        this.filledKeys = new int[lane.limit()];
    }

    /** Begins to read those of the experts that are in no slot, the first ones first. Does nothing while a batch is under way. */
    void predict(int layer, int[] experts, int count) {
        if (active) {
            return;
        }
        int most = Math.min(Math.min(lane.limit(), cache.slots() / SHARE), cache.available());
        int known = source.expertCount(layer);
        int absent = 0;
        for (int i = 0; i < count && absent < most; i++) {
            if (experts[i] >= 0 && experts[i] < known && cache.find(ExpertKey.of(layer, experts[i])) < 0 && !listed(experts[i], absent)) {
                wanted[absent++] = experts[i];
            }
        }
        if (absent == 0) {
            return;
        }
        cache.reserve(absent, batch.slots);
        batch.take(layer, wanted, 0, absent);
        try {
            lane.begin(layer, batch.experts, batch.slots, absent);
        } catch (RuntimeException e) {
            releaseSlots();
            throw e;
        }
        active = true;
        readers.startBackground(batch, batch.prepare(readers.backgroundLimit()));
        for (int i = 0; i < absent; i++) {
            statistics.prefetchIssued(layer);
        }
    }

    private boolean listed(int expert, int count) {
        for (int i = 0; i < count; i++) {
            if (wanted[i] == expert) {
                return true;
            }
        }
        return false;
    }

    /**
     * Makes what has arrived visible, waiting for it if one of these experts is on its way. To be called before a gather looks into the cache.
     *
     * @throws dev.ringside.gpu.DeviceException when the event behind the copies was refused: nothing copied can be trusted then
     */
    void collect(int layer, int[] experts, int count, GpuStream stream) {
        if (!active) {
            return;
        }
        if (!readers.backgroundDone()) {
            if (batch.layer != layer) {
                return;
            }
            if (!needed(experts, count)) {
                readers.cancelBackground();
                return;
            }
            long begun = System.nanoTime();
            readers.finishBackground();
            statistics.waited(layer, System.nanoTime() - begun);
        }
        publish(stream);
    }

    private boolean needed(int[] experts, int count) {
        for (int i = 0; i < count; i++) {
            if (batch.holds(experts[i])) {
                return true;
            }
        }
        return false;
    }

    private void publish(GpuStream stream) {
        active = false;
        settle();
        for (int i = 0; i < batch.count; i++) {
            int key = ExpertKey.of(batch.layer, batch.experts[i]);
            if (arrived(i, stream) && cache.find(key) < 0) {
                cache.publish(batch.slots[i], key);
                filled[filledCount] = batch.slots[i];
                filledKeys[filledCount++] = key;
            } else {
                cache.release(batch.slots[i]);
                statistics.prefetchUnused(batch.layer);
            }
        }
        batch.count = 0;
        lane.seal(stream);
    }

    private boolean arrived(int index, GpuStream stream) {
        if (batch.failure(index) != null) {
            lane.discard(index);
            if (!batch.givenUp(index)) {
                statistics.readFailed(batch.layer);
            }
            return false;
        }
        boolean read = !lane.present(index);
        try {
            if (!lane.publish(index, stream)) {
                return false;
            }
        } catch (RuntimeException e) {
            // Nobody asked for it: whoever does will read it and see what is wrong.
            return false;
        }
        if (read) {
            statistics.read(batch.layer, source.layout().expertBytes(batch.layer));
        }
        return true;
    }

    /** Experts of a gather are known: those it asked for count as used when it touches them. */
    void touched(int slot) {
        for (int i = 0; i < filledCount; i++) {
            if (filled[i] == slot && filledKeys[i] >= 0) {
                statistics.prefetchUsed(ExpertKey.layer(filledKeys[i]));
                filledKeys[i] = -1;
            }
        }
    }

    /** Lets those go first that were not asked for. */
    void settle() {
        for (int i = 0; i < filledCount; i++) {
            int key = filledKeys[i];
            if (key >= 0) {
                statistics.prefetchUnused(ExpertKey.layer(key));
                if (cache.key(filled[i]) == key) {
                    cache.demote(filled[i]);
                }
            }
        }
        filledCount = 0;
    }

    /** Ends the batch under way without making it visible. Returns when no reader is at work on it. */
    void abandon() {
        if (!active) {
            return;
        }
        readers.cancelBackground();
        readers.finishBackground();
        active = false;
        for (int i = 0; i < batch.count; i++) {
            lane.discard(i);
            statistics.prefetchUnused(batch.layer);
        }
        releaseSlots();
    }

    private void releaseSlots() {
        for (int i = 0; i < batch.count; i++) {
            cache.release(batch.slots[i]);
        }
        batch.count = 0;
    }
}
