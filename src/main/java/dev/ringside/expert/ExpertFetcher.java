package dev.ringside.expert;

import dev.ringside.gpu.Closing;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.GpuStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets the experts a layer was routed to into slots and hands them out in waves: first those that are resident, while the first missing
 * ones are already being read, then the missing ones batch by batch, each read while the batch before is used. A layer may ask for more
 * experts than there are slots.
 *
 * <p>Gathers come from one thread and one stream; {@link #snapshot} and requests such as {@link #resize} from any thread. A gather that
 * finds everything resident allocates nothing.
 *
 * <p><b>Transactional.</b> A key leads to a slot only once the expert is whole there (device arena: once its copy is enqueued in front of
 * everything that can read it). Whatever fails, no key leads to bytes that are not its own, and what was read whole stays.
 */
public final class ExpertFetcher implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ExpertFetcher.class);

    private final ExpertSource source;
    private final ExpertArena arena;
    private final ExpertOptions options;
    private final ExpertStatistics statistics;
    private final VictimPolicy policy;
    private final ExpertCache cache;
    private final ReaderPool readers;
    private final GatherPlan plan;
    private final @Nullable Speculation speculation;
    private final GatherRun run;
    private final ExpertRequests requests = new ExpertRequests();
    private final HotList hotList;
    private final @Nullable FetchTrace trace;
    private final int totalExperts;
    private final SlotAddresses addresses;
    private @Nullable GpuStream stream;
    private volatile int slots;
    private boolean closed;

    /** @param arena made for {@code source}; both are closed with the fetcher */
    public ExpertFetcher(ExpertSource source, ExpertArena arena, ExpertOptions options) {
        this.source = source;
        this.arena = arena;
        this.options = options;
        this.slots = arena.slots();
        this.totalExperts = source.totalExperts();
        int[] expertCounts = KeyHistory.expertCounts(source);
        this.statistics = new ExpertStatistics(source);
        this.policy = VictimPolicies.of(options.eviction(), arena.slots(), expertCounts, options.seed());
        this.cache = new ExpertCache(arena.slots(), policy, statistics);
        this.addresses = new SlotAddresses(source.layout().layers().getLast() + 1, Arrays.stream(expertCounts).max().orElse(0));
        cache.watchedBy((key, slot) -> addresses.set(key, slot < 0 ? 0 : arena.address(slot)));
        this.hotList = new HotList(expertCounts);
        Path traceFile = options.tuning().traceFile();
        this.trace = traceFile == null ? null : FetchTrace.open(traceFile);
        this.plan = new GatherPlan(source, arena, cache);
        this.readers = new ReaderPool(options.readerThreads());
        FillLane background = arena.lane(true);
        this.speculation = background == null || !options.tuning().lookahead() || readers.backgroundLimit() == 0
                ? null
                : new Speculation(source, arena, background, cache, readers, statistics);
        this.run = new GatherRun(source, arena, cache, readers, statistics, plan, speculation);
    }

    /**
     * Makes the arena that the options ask for and a fetcher on it, which closes the source with it. When this fails, the source stays
     * open and the caller's.
     *
     * @throws ExpertArenaTooSmallException when the size asked for cannot run one token
     */
    public static ExpertFetcher open(GpuBackend backend, ExpertSource source, ExpertArenaFactory arenas, ExpertOptions options) {
        ExpertArena arena = arenas.create(backend, source, options);
        try {
            return new ExpertFetcher(source, arena, options);
        } catch (RuntimeException e) {
            Closing closing = new Closing();
            closing.run(arena::close);
            closing.addTo(e);
            throw e;
        }
    }

    /**
     * Hands every expert to the consumer exactly once, in waves. An expert named twice counts as a hit the second time.
     *
     * @param experts expert ids of the layer, the first {@code count} entries
     * @param gatherStream the stream that kernels run on, the same one in every call
     * @throws ExpertReadException when an expert could not be read; waves handed out before stay valid
     * @throws dev.ringside.gpu.DeviceException when the device refused a copy or an event
     */
    public void gather(int layer, int[] experts, int count, GpuStream gatherStream, WaveConsumer consumer) {
        requireUsable(gatherStream);
        if (!requests.isEmpty()) {
            applyRequests();
        }
        if (trace == null) {
            gatherNow(layer, experts, count, gatherStream, consumer);
            return;
        }
        trace.begin(statistics);
        try {
            gatherNow(layer, experts, count, gatherStream, consumer);
        } finally {
            trace.end(layer, plan, statistics);
        }
    }

    private void gatherNow(int layer, int[] experts, int count, GpuStream gatherStream, WaveConsumer consumer) {
        cache.beginStep();
        run.collectPredictions(layer, experts, count, gatherStream);
        run.run(layer, partition(layer, experts, count), gatherStream, consumer);
    }

    private int partition(int layer, int[] experts, int count) {
        int misses = plan.split(layer, experts, count, speculation);
        cache.asked(layer, plan.distinct, plan.distinctCount);
        hotList.asked(layer, plan.distinct, plan.distinctCount);
        statistics.asked(layer, plan.distinct, plan.distinctCount);
        statistics.hits(layer, count - misses);
        if (speculation != null) {
            speculation.settle();
        }
        return misses;
    }

    private void requireUsable(GpuStream gatherStream) {
        if (closed) {
            throw new IllegalStateException("The expert fetcher is closed");
        }
        if (stream == null) {
            stream = gatherStream;
        } else if (!stream.equals(gatherStream)) {
            throw new IllegalArgumentException("Experts were gathered for another stream before; one fetcher serves one stream");
        }
    }

    /** Whether {@link #prefetch} would do anything: look-ahead is on, and there are more experts than slots. */
    public boolean looksAhead() {
        return speculation != null && slots < totalExperts;
    }

    /**
     * Says which experts a layer will probably be asked for next, the likeliest first; those that are in no slot are read in the background.
     * To be called between gathers, by the thread that makes them. Changes what has to be waited for, never what a gather hands out.
     */
    public void prefetch(int layer, int[] experts, int count) {
        if (speculation != null && !closed && slots < totalExperts) {
            speculation.predict(layer, experts, count);
        }
    }

    /** Applies what other threads asked for. By the thread that gathers; a gather does it by itself, so only an idle engine needs to. */
    public void applyRequests() {
        requests.apply();
    }

    /**
     * Changes the number of slots between two gathers. Experts that still fit keep their place in the order of eviction. Applied by the
     * thread that gathers.
     *
     * @param count at least {@link #minimumSlots()}; more than there are experts means all
     * @return the number of slots in force; fails, with nothing changed, when the memory cannot be had
     */
    public CompletableFuture<Integer> resize(int count) {
        return requests.add(() -> {
            new ArenaResize(arena, cache, stream).to(Math.clamp(count, minimumSlots(), totalExperts), run::forgetPredictions);
            slots = arena.slots();
            plan.resized();
            return slots;
        });
    }

    /** Gives back all memory that is not needed to run. Applied by the thread that gathers. */
    public CompletableFuture<Integer> trim() {
        return resize(minimumSlots());
    }

    /**
     * Writes the experts worth having to a file, best first. Applied by the thread that gathers.
     *
     * @return how many; 0, and the file is left alone, when none was asked for yet. Fails when it cannot be written
     */
    public CompletableFuture<Integer> saveHotList(Path file) {
        return requests.add(() -> hotList.write(file, slots));
    }

    /** The file that experts worth having are kept in from one run to the next, if one is set. */
    public @Nullable Path hotListFile() {
        return options.tuning().hotListFile();
    }

    /** Fewest slots that work. */
    public int minimumSlots() {
        return Math.max(ExpertCapacity.minimumSlots(totalExperts, options.expertsPerToken()),
                Math.min(totalExperts, 2 * arena.batchLimit()));
    }

    /**
     * Fills free slots with the experts of the hot list file, if one is set and was written by an earlier run. Before the first gather.
     * Experts that cannot be read are left out. A long one is logged as it goes.
     *
     * @param listener hears how far it is
     * @return experts that are in slots now
     */
    public int prewarm(GpuStream gatherStream, PrewarmListener listener) {
        Path file = options.tuning().hotListFile();
        if (file != null) {
            requireUsable(gatherStream);
            List<HotList.Batch> batches = hotList.load(file, slots, arena.batchLimit());
            int total = batches.stream().mapToInt(each -> each.experts().size()).sum();
            PrewarmProgress progress = new PrewarmProgress(System::nanoTime, total);
            int done = 0;
            if (total > 0) {
                listener.progressed(done, total);
            }
            for (HotList.Batch batch : batches) {
                int[] experts = batch.experts().stream().mapToInt(Integer::intValue).toArray();
                try {
                    gatherNow(batch.layer(), experts, experts.length, gatherStream, (ids, addresses, count) -> {
                        // Being resident is all that is wanted.
                    });
                } catch (ExpertReadException e) {
                    HotList.skipped(file, e);
                }
                done += experts.length;
                listener.progressed(done, total);
                progress.advance(experts.length).ifPresent(LOG::info);
            }
        }
        return cache.resident();
    }

    /** Where the experts are, for a device that keeps a copy; by the thread that gathers. */
    public SlotAddresses addresses() {
        return addresses;
    }

    /** Key of the expert in a slot, or a negative number. */
    int keyIn(int slot) {
        return cache.key(slot);
    }

    /** The counters now, from any thread. */
    public ExpertSnapshot snapshot() {
        return ExpertSnapshot.of(arena.kind(), slots, arena.slotBytes(), statistics.layers(), new ExpertSnapshot.Tier(policy.text(),
                policy.choices(), arena.hostTier(), arena.staged(), arena.batchLimit(), readers.urgentDepth(), readers.backgroundDepth(),
                source.shards()));
    }

    /** Where each expert is and how often it was used, from any thread. */
    public ExpertMap map() {
        return statistics.map();
    }

    /** Waits for reads and for the stream, which must still be open, frees the arena and closes the source. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        Closing closing = new Closing();
        requests.close();
        closing.run(readers::close);
        Path file = options.tuning().hotListFile();
        if (file != null) {
            closing.run(() -> hotList.save(file, slots));
        }
        if (stream != null) {
            closing.run(stream::synchronize);
        }
        if (trace != null) {
            closing.run(trace::close);
        }
        closing.run(arena::close);
        closing.run(source::close);
        closing.finish();
    }
}
