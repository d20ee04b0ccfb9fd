package dev.ringside.gpu.host;

import jdk.incubator.vector.FloatVector;

/**
 * The sixteen values that a nibble stands for, before its group's scale. A vector of sixteen lanes holds them all: a group's values are then
 * one product, and its elements are looked up in the result.
 */
final class NibbleLevels {

    /** IQ4_NL and IQ4_XS. */
    static final float[] UNEVEN = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
    /** Q4_0. */
    static final float[] CENTRED = {-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7};
    /** The E2M1 numbers of MXFP4 and NVFP4, doubled. */
    static final float[] FP4 = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
    private static final float[] COUNTED = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

    /** 0, 1, 2, … where vectors have sixteen lanes. */
    static final FloatVector FROM_ZERO = FloatVector.fromArray(Vectors.FLOATS, COUNTED, 0);

    private NibbleLevels() {}
}
