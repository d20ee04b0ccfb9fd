package dev.ringside.expert;

import dev.ringside.expert.LayerExtents.Extent;
import dev.ringside.gpu.ExpertShape;
import java.util.List;

/**
 * Slots into which direct reads land without being moved: every matrix lies in its slot at the place within a page of {@value #PAGE} bytes
 * that it has in the file, and no page holds bytes of two matrices, so that whole windows of the file can be read there. All slots are shifted
 * by what the data of the file is off a multiple of {@value SlotLayout#ALIGNMENT}, which keeps the matrices aligned within a slot.
 */
final class DirectPlacement {

    /** There are no such slots: experts of a layer differ in their place within a page, or the layers in their shift. */
    static final int NONE = -1;

    private static final int PAGE = ReadStrategy.Direct.MAX_ALIGNMENT;
    /** Kernels read 16 bytes at once; files align tensors to 32 unless they say otherwise. */
    private static final int KERNEL_ALIGNMENT = 32;
    /** The gaps between matrices would be a large part of smaller experts. */
    private static final long LEAST_EXPERT = 1L << 20;

    private DirectPlacement() {}

    /** Bytes by which slots are shifted, or {@link #NONE}. */
    static int shift(List<ExpertTensors> layers, SlotLayout compact) {
        int shift = NONE;
        for (ExpertTensors tensors : layers) {
            if (compact.expertBytes(tensors.layer()) < LEAST_EXPERT) {
                return NONE;
            }
            for (Extent part : LayerExtents.of(tensors, compact.shape(tensors.layer())).parts()) {
                int own = (int) (part.fileOffset() & SlotLayout.ALIGNMENT - 1);
                if (part.stride() % PAGE != 0 || own % KERNEL_ALIGNMENT != 0 || shift != NONE && shift != own) {
                    return NONE;
                }
                shift = own;
            }
        }
        return shift;
    }

    static SlotLayout layout(List<ExpertTensors> layers, SlotLayout compact, int shift) {
        SlotLayout.Builder builder = SlotLayout.builder();
        for (ExpertTensors tensors : layers) {
            ExpertShape shape = compact.shape(tensors.layer());
            LayerExtents extents = LayerExtents.of(tensors, shape);
            long gate = place(-shift, extents.gate(), shift);
            long up = place(gate + extents.gate().bytes(), extents.up(), shift);
            long down = place(up + extents.up().bytes(), extents.down(), shift);
            builder.add(tensors.layer(), new ExpertShape(shape.hidden(), shape.width(), shape.gateType(), gate, shape.upType(), up,
                    shape.downType(), down));
        }
        return builder.build();
    }

    /** The first offset in a slot behind the pages of what ends at {@code end}. */
    private static long place(long end, Extent part, int shift) {
        long page = end + shift + PAGE - 1 & -PAGE;
        return page + (part.fileOffset() & PAGE - 1) - shift;
    }
}
