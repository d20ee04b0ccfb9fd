package dev.ringside.cli;

import dev.ringside.expert.ExpertCapacity;
import dev.ringside.expert.SlotLayout;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.TensorInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sizes of the routed experts of a file, from its tensor list. */
final class ExpertSizes {

    /** Experts of one layer. */
    record Layer(int block, int experts, long parametersEach, long bytesEach) {}

    private final List<Layer> layers = new ArrayList<>();
    private long slotBytes;

    private ExpertSizes(GgufFile file, int blocks) {
        SlotLayout.Builder slots = SlotLayout.builder();
        for (int block = 0; block < blocks; block++) {
            String prefix = "blk." + block + ".ffn_";
            TensorInfo down = file.find(prefix + "down_exps.weight");
            TensorInfo gate = file.find(prefix + "gate_exps.weight");
            TensorInfo up = file.find(prefix + "up_exps.weight");
            TensorInfo fused = file.find(prefix + "gate_up_exps.weight");
            gate = gate == null ? fused : gate;
            up = up == null ? fused : up;
            if (down == null || gate == null || up == null) {
                continue;
            }
            int hidden = Math.toIntExact(gate.rowLength());
            int width = Math.toIntExact(down.rowLength());
            slots.add(block, hidden, width, gate.type(), up.type(), down.type());
            long bytes = (gate.rowBytes() + up.rowBytes()) * width + down.matrixBytes();
            layers.add(new Layer(block, Math.toIntExact(down.dimension(2)), 3L * hidden * width, bytes));
        }
        slotBytes = layers.isEmpty() ? 0 : slots.build().slotBytes();
    }

    static ExpertSizes of(GgufFile file, int blocks) {
        return new ExpertSizes(file, blocks);
    }

    List<Layer> layers() {
        return layers;
    }

    /** Bytes of one expert of a block, 0 when it has none. */
    long bytesEach(int block) {
        for (Layer layer : layers) {
            if (layer.block() == block) {
                return layer.bytesEach();
            }
        }
        return 0;
    }

    /** Bytes of all routed experts. */
    long totalBytes() {
        return layers.stream().mapToLong(layer -> layer.experts() * layer.bytesEach()).sum();
    }

    /** @param perToken experts a token uses in a layer, null when the file does not say */
    ModelReport.@Nullable Experts report(@Nullable Integer perToken, int trunk) {
        if (layers.isEmpty()) {
            return null;
        }
        int total = layers.stream().mapToInt(Layer::experts).sum();
        Long perTokenBytes = perToken == null
                ? null
                : (Long) layers.stream().limit(trunk).mapToLong(layer -> Math.min(perToken, layer.experts()) * layer.bytesEach()).sum();
        return new ModelReport.Experts(layers.getFirst().experts(), perToken, layers.size(), total, layers.getFirst().parametersEach(),
                layers.stream().mapToLong(Layer::bytesEach).min().orElse(0), slotBytes, totalBytes(), perTokenBytes,
                ExpertCapacity.minimumSlots(total, perToken == null ? 1 : perToken));
    }
}
