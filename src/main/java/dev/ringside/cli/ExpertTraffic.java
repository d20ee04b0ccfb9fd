package dev.ringside.cli;

import dev.ringside.gpu.RoutingTable;
import dev.ringside.model.ForwardObserver;
import java.util.BitSet;

/** Counts the experts that steps read: in each layer of a step every expert once, however many rows chose it. */
final class ExpertTraffic implements ForwardObserver {

    private final ExpertSizes sizes;
    private final BitSet seen = new BitSet();
    private long bytes;

    ExpertTraffic(ExpertSizes sizes) {
        this.sizes = sizes;
    }

    @Override
    public void routed(int layer, RoutingTable table, int rows) {
        seen.clear();
        for (int row = 0; row < rows; row++) {
            for (int choice = 0; choice < table.choices(); choice++) {
                seen.set(table.expert(row, choice));
            }
        }
        bytes += seen.cardinality() * sizes.bytesEach(layer);
    }

    /** Bytes of the experts read so far. */
    long bytes() {
        return bytes;
    }
}
