package dev.ringside.ops;

import dev.ringside.expert.ExpertSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.stereotype.Component;

/**
 * {@code /actuator/experts}: where the experts are and how often they had to be read; {@code /actuator/experts/3} is one layer. {@code POST}
 * changes the arena, see {@link ExpertChanges}.
 */
@Component
@Endpoint(id = "experts")
final class ExpertsEndpoint {

    private final EngineViews views;
    private final ExpertChanges changes;

    ExpertsEndpoint(EngineViews views, ExpertOperations operations) {
        this.views = views;
        this.changes = new ExpertChanges(views.experts(), operations);
    }

    /**
     * The expert tier as JSON.
     *
     * @param arenaBytes bytes of all slots
     * @param minimumSlots fewest slots that work
     * @param experts experts of the model
     * @param hitRate share of hits among hits and misses, 0 to 1; 1 when there were neither
     * @param waitMillis time the engine waited for readers and copies
     * @param prefetchIssued experts read before they were needed, of which {@code prefetchUsed} were needed and {@code prefetchUnused} not
     * @param retries reads that were tried again
     * @param tier eviction policy, host tier, ring occupancy, queue depths and the files with their circuit breakers
     */
    record Descriptor(String arena, int slots, long slotBytes, long arenaBytes, int minimumSlots, int experts, int resident, long hits,
            long misses,
            double hitRate, long evictions, long bytesRead, long waits, long waitMillis, long readFailures,
            long prefetchIssued, long prefetchUsed, long prefetchUnused, long retries, ExpertSnapshot.Tier tier,
            List<LayerDescriptor> layers) {}

    /** One layer, with the meaning the fields have above. */
    record LayerDescriptor(int layer, int experts, int resident, long hits, long misses, double hitRate, long evictions, long bytesRead,
            long waits, long waitMillis, long readFailures, long prefetchIssued, long prefetchUsed, long prefetchUnused) {}

    @ReadOperation
    Descriptor experts() {
        ExpertSnapshot now = views.experts().get();
        return new Descriptor(now.arena(), now.slots(), now.slotBytes(), now.slots() * now.slotBytes(), changes.minimumSlots(),
                now.experts(), now.resident(),
                now.hits(), now.misses(), hitRate(now.hits(), now.misses()), now.evictions(), now.bytesRead(), now.waits(),
                now.waitNanos() / 1_000_000, now.readFailures(), now.prefetchIssued(), now.prefetchUsed(), now.prefetchUnused(),
                now.tier().retries(), now.tier(), now.layers().stream().map(ExpertsEndpoint::layer).toList());
    }

    /** Null, which Actuator answers with 404, when the layer has no routed experts. */
    @ReadOperation
    @Nullable
    LayerDescriptor layer(@Selector int layer) {
        return views.experts().get().layers().stream().filter(each -> each.layer() == layer).findFirst().map(ExpertsEndpoint::layer)
                .orElse(null);
    }

    /**
     * {@code POST /actuator/experts} with {@code {"operation": "resize", "slots": 96}}, {@code "size": "25%"} or {@code "size": "8GB"} instead
     * of the slots, {@code {"operation": "trim"}} or {@code {"operation": "save-hot-list"}}.
     */
    @WriteOperation
    WebEndpointResponse<Object> change(@Nullable String operation, @Nullable String slots, @Nullable String size) {
        return changes.change(operation, slots, size);
    }

    /** The same with the operation in the path: {@code POST /actuator/experts/resize}. */
    @WriteOperation
    WebEndpointResponse<Object> changeByPath(@Selector String operation, @Nullable String slots, @Nullable String size) {
        return changes.change(operation, slots, size);
    }

    private static LayerDescriptor layer(ExpertSnapshot.Layer layer) {
        return new LayerDescriptor(layer.layer(), layer.experts(), layer.resident(), layer.hits(), layer.misses(),
                hitRate(layer.hits(), layer.misses()), layer.evictions(), layer.bytesRead(), layer.waits(), layer.waitNanos() / 1_000_000,
                layer.readFailures(), layer.prefetchIssued(), layer.prefetchUsed(), layer.prefetchUnused());
    }

    private static double hitRate(long hits, long misses) {
        long asked = hits + misses;
        return asked == 0 ? 1 : (double) hits / asked;
    }
}
