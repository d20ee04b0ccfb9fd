package dev.ringside.ops;

import dev.ringside.sequence.PrefixInfo;
import dev.ringside.sequence.PrefixSnapshot;
import dev.ringside.sequence.StateSnapshot;
import java.util.List;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.stereotype.Component;

/** {@code /actuator/checkpoints}: memory that the state of sequences takes now, and the prefixes that are kept for later ones. */
@Component
@Endpoint(id = "checkpoints")
final class CheckpointsEndpoint {

    private static final int LISTED = 100;

    private final EngineViews views;

    CheckpointsEndpoint(EngineViews views) {
        this.views = views;
    }

    /**
     * Sequence state as JSON.
     *
     * @param bytes bytes of running sequences; 0 when no sequence is alive
     * @param budgetBytes bytes set aside for all sequences
     * @param suspended requests whose state was moved to host memory
     * @param entries prefixes in memory
     * @param memoryBytes host memory of prefixes
     * @param sharedPages pages that several hold
     * @param sharedPageBytes bytes of those
     * @param prefixPages pages that prefixes hold
     * @param keptPages pages that prefixes alone hold, until a sequence needs them
     * @param spillEntries prefixes in files
     * @param spillRefused files that were ignored
     * @param oldestSeconds age of the oldest prefix
     * @param prefixes those used last, at most 100
     */
    record Descriptor(long bytes, long budgetBytes, int sequences, int maxSequences, long pagesUsed, long pagesTotal, int pageTokens,
            long pageBytes, int planesPerSequence, long planeBytes, int suspended, int entries, long memoryBytes, long sharedPages,
            long sharedPageBytes, long prefixPages, long keptPages, long hits, long misses, long tokensSaved, long evictions, long failures,
            int spillEntries, long spillBytes, long spillRefused, long oldestSeconds, List<PrefixInfo> prefixes) {}

    /** What a deletion did. */
    record Dropped(int dropped) {}

    @ReadOperation
    Descriptor checkpoints() {
        StateSnapshot now = views.state().get();
        PrefixSnapshot kept = views.prefixes().get();
        return new Descriptor(now.bytesUsed(), now.bytesTotal(), now.sequences(), now.maxSequences(), now.pagesUsed(), now.pagesTotal(),
                now.pageTokens(), now.pageBytes(), now.planesPerSequence(), now.planeBytes(), views.engine().get().suspended(),
                kept.entries(),
                kept.bytes(), now.pagesShared(), now.pagesShared() * now.pageBytes(), kept.pages(), now.pagesKept(), kept.hits(),
                kept.misses(),
                kept.tokensSaved(), kept.evictions(), kept.failures(), kept.spilled(), kept.spillBytes(), kept.spillRefused(),
                kept.oldestSeconds(),
                kept.entries() + kept.spilled() == 0 ? List.of() : views.prefixOperations().list(LISTED));
    }

    /** Drops all prefixes, in memory and in files; running requests keep what they use. */
    @DeleteOperation
    Dropped dropAll() {
        return new Dropped(views.prefixOperations().drop(null));
    }

    /** Drops one prefix; 404 when there is none of that id. */
    @DeleteOperation
    WebEndpointResponse<Dropped> drop(@Selector String id) {
        int dropped = views.prefixOperations().drop(id);
        return new WebEndpointResponse<>(new Dropped(dropped),
                dropped == 0 ? WebEndpointResponse.STATUS_NOT_FOUND : WebEndpointResponse.STATUS_OK);
    }
}
