package dev.ringside.gpu;

import dev.ringside.gguf.GgmlType;
import org.jspecify.annotations.Nullable;

/**
 * How one layer's experts lie in a slot, their types, and factors on their stored values. Gate and up are {@code width x hidden}, down is
 * {@code hidden x width}.
 *
 * @param hidden inputs and outputs of an expert
 * @param width inner size
 * @param gateOffset byte offset in a slot, a multiple of 256; likewise {@code upOffset} and {@code downOffset}
 * @param gateScale F32, one factor per expert of the layer, or null for none; likewise {@code upScale} and {@code downScale}
 */
public record ExpertShape(int hidden, int width, GgmlType gateType, long gateOffset, GgmlType upType, long upOffset, GgmlType downType,
        long downOffset, @Nullable DevicePtr gateScale, @Nullable DevicePtr upScale, @Nullable DevicePtr downScale) {

    public ExpertShape(int hidden, int width, GgmlType gateType, long gateOffset, GgmlType upType, long upOffset, GgmlType downType,
            long downOffset) {
        this(hidden, width, gateType, gateOffset, upType, upOffset, downType, downOffset, null, null, null);
    }

    /** The same layout with factors on the stored values. */
    public ExpertShape withScales(@Nullable DevicePtr gate, @Nullable DevicePtr up, @Nullable DevicePtr down) {
        return new ExpertShape(hidden, width, gateType, gateOffset, upType, upOffset, downType, downOffset, gate, up, down);
    }
}
