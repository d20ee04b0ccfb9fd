package dev.ringside.expert;

import dev.ringside.gguf.GgufException;
import dev.ringside.gguf.TensorInfo;
import dev.ringside.gpu.ExpertShape;
import java.nio.file.Path;
import java.util.List;

/** Where the experts of one layer lie in the files of a model. */
record LayerExtents(int experts, Extent gate, Extent up, Extent down) {

    /**
     * One matrix of each expert.
     *
     * @param fileOffset of expert 0
     * @param stride from one expert to the next
     * @param slotOffset where the matrix begins in a slot
     * @param bytes of one matrix
     */
    record Extent(int shard, long fileOffset, long stride, long slotOffset, long bytes) {}

    /** Matrices of an expert: gate, up, down. */
    static final int ROLES = 3;

    List<Extent> parts() {
        return List.of(gate, up, down);
    }

    /** Gate, up or down by number. */
    Extent part(int role) {
        return switch (role) {
            case 0 -> gate;
            case 1 -> up;
            default -> down;
        };
    }

    static LayerExtents of(ExpertTensors tensors, ExpertShape shape) {
        long gateBytes = SlotLayout.gateBytes(shape);
        Extent gate = extent(tensors.gate(), 0, shape.gateOffset(), gateBytes);
        Extent up = extent(tensors.up(), tensors.fused() ? gateBytes : 0, shape.upOffset(), SlotLayout.upBytes(shape));
        Extent down = extent(tensors.down(), 0, shape.downOffset(), SlotLayout.downBytes(shape));
        return new LayerExtents((int) tensors.down().dimension(2), gate, up, down);
    }

    private static Extent extent(TensorInfo tensor, long skip, long slotOffset, long bytes) {
        return new Extent(tensor.shard(), tensor.fileOffset() + skip, tensor.matrixBytes(), slotOffset, bytes);
    }

    static int hidden(ExpertTensors tensors) {
        return (int) tensors.down().dimension(1);
    }

    static int width(ExpertTensors tensors) {
        return (int) tensors.down().dimension(0);
    }

    /** Fails unless the three tensors are the gate, up and down of the same experts. */
    static void check(Path file, ExpertTensors tensors) {
        TensorInfo down = tensors.down();
        if (down.rank() != 3 || down.dimension(0) > Integer.MAX_VALUE / 2 || down.dimension(1) > Integer.MAX_VALUE
                || down.dimension(2) > ExpertKey.MAX_EXPERTS) {
            throw new GgufException(file, "tensor '" + down.name() + "'", "expected {width, hidden, experts} with at most "
                    + ExpertKey.MAX_EXPERTS + " experts, found " + down.shape());
        }
        long rows = tensors.fused() ? 2 * down.dimension(0) : down.dimension(0);
        List<Long> expected = List.of(down.dimension(1), rows, down.dimension(2));
        requireShape(file, tensors.gate(), expected, down);
        requireShape(file, tensors.up(), expected, down);
    }

    private static void requireShape(Path file, TensorInfo tensor, List<Long> expected, TensorInfo down) {
        if (!tensor.dimensions().equals(expected)) {
            throw new GgufException(file, "tensor '" + tensor.name() + "'",
                    "expected shape {" + expected.get(0) + ", " + expected.get(1) + ", "
                            + expected.get(2) + "} to go with '" + down.name() + "' " + down.shape() + ", found " + tensor.shape());
        }
    }
}
