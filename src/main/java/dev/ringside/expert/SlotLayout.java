package dev.ringside.expert;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.ExpertShape;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How the experts of each layer lie in a slot: gate, then up, then down, each at a multiple of {@value #ALIGNMENT} bytes. Types may differ
 * from layer to layer and from role to role, so every layer has its own shape; all slots have the size that the largest layer needs.
 */
public final class SlotLayout {

    /** Alignment in bytes of a slot and of the three matrices in it. */
    public static final int ALIGNMENT = 256;

    private final @Nullable ExpertShape[] shapes;
    private final List<Integer> layers;
    private final long slotBytes;

    private SlotLayout(SortedMap<Integer, ExpertShape> shapes) {
        this.layers = List.copyOf(shapes.keySet());
        this.shapes = new ExpertShape[shapes.lastKey() + 1];
        long largest = 0;
        for (int layer : layers) {
            ExpertShape shape = Objects.requireNonNull(shapes.get(layer));
            this.shapes[layer] = shape;
            largest = Math.max(largest, end(shape));
        }
        this.slotBytes = align(largest);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Layers that have experts, in ascending order. */
    public List<Integer> layers() {
        return layers;
    }

    /**
     * Offsets, types and sizes of a layer's experts.
     *
     * @throws IllegalArgumentException when the layer has no experts
     */
    public ExpertShape shape(int layer) {
        ExpertShape shape = layer >= 0 && layer < shapes.length ? shapes[layer] : null;
        if (shape == null) {
            throw new IllegalArgumentException("Layer " + layer + " has no experts; the layers with experts are " + layers);
        }
        return shape;
    }

    /** Bytes of every slot: those of the largest layer, a multiple of {@value #ALIGNMENT}. */
    public long slotBytes() {
        return slotBytes;
    }

    /** Bytes of a slot that an expert of this layer occupies, gaps between its matrices included. */
    public long usedBytes(int layer) {
        return end(shape(layer));
    }

    /** Bytes of an expert of this layer in its source, without gaps. */
    public long expertBytes(int layer) {
        ExpertShape shape = shape(layer);
        return gateBytes(shape) + upBytes(shape) + downBytes(shape);
    }

    /** Where gate (role 0), up (1) or down (2) begins in a slot. */
    long offset(int layer, int role) {
        ExpertShape shape = shape(layer);
        return switch (role) {
            case 0 -> shape.gateOffset();
            case 1 -> shape.upOffset();
            default -> shape.downOffset();
        };
    }

    /** Bytes of gate (role 0), up (1) or down (2). */
    long bytes(int layer, int role) {
        ExpertShape shape = shape(layer);
        return switch (role) {
            case 0 -> gateBytes(shape);
            case 1 -> upBytes(shape);
            default -> downBytes(shape);
        };
    }

    static long gateBytes(ExpertShape shape) {
        return shape.gateType().rowBytes(shape.hidden()) * shape.width();
    }

    static long upBytes(ExpertShape shape) {
        return shape.upType().rowBytes(shape.hidden()) * shape.width();
    }

    static long downBytes(ExpertShape shape) {
        return shape.downType().rowBytes(shape.width()) * shape.hidden();
    }

    private static long end(ExpertShape shape) {
        return shape.downOffset() + downBytes(shape);
    }

    private static long align(long bytes) {
        return Math.addExact(bytes, ALIGNMENT - 1L) & -ALIGNMENT;
    }

    /** Collects the layers of a layout. */
    public static final class Builder {

        private final TreeMap<Integer, ExpertShape> shapes = new TreeMap<>();

        private Builder() {}

        /**
         * Adds a layer; gate and up are {@code width x hidden}, down is {@code hidden x width}.
         *
         * @throws IllegalArgumentException when the layer was added before, a size is not positive, or a row is not whole blocks of its type
         */
        public Builder add(int layer, int hidden, int width, GgmlType gate, GgmlType up, GgmlType down) {
            if (layer < 0 || hidden <= 0 || width <= 0) {
                throw new IllegalArgumentException("Experts of layer " + layer + " cannot be " + width + " x " + hidden);
            }
            long upOffset = align(Math.multiplyExact(gate.rowBytes(hidden), (long) width));
            long downOffset = align(Math.addExact(upOffset, Math.multiplyExact(up.rowBytes(hidden), (long) width)));
            Math.addExact(downOffset, Math.multiplyExact(down.rowBytes(width), (long) hidden));
            return add(layer, new ExpertShape(hidden, width, gate, 0, up, upOffset, down, downOffset));
        }

        Builder add(int layer, ExpertShape shape) {
            if (shapes.putIfAbsent(layer, shape) != null) {
                throw new IllegalArgumentException("Experts of layer " + layer + " were given twice");
            }
            return this;
        }

        public SlotLayout build() {
            if (shapes.isEmpty()) {
                throw new IllegalArgumentException("A slot layout needs at least one layer with experts");
            }
            return new SlotLayout(new TreeMap<>(shapes));
        }
    }
}
