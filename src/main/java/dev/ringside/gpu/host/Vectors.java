package dev.ringside.gpu.host;

import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Float vectors of the width this CPU likes best, on raw addresses, and their reductions.
 *
 * <p>{@link FloatVector#reduceLanes} is not used for sums: its order is unspecified and differs between interpreted and compiled code, so a
 * row's result would depend on how warm the process is. {@link #sum} adds the upper half to the lower until one lane is left.
 */
final class Vectors {

    /** 4, 8 or 16 lanes: the reductions know no others. */
    static final VectorSpecies<Float> FLOATS = preferred();
    static final int LANES = FLOATS.length();

    static final VectorShuffle<Float> SWAP_8 = swap(8);
    static final VectorShuffle<Float> SWAP_4 = swap(4);
    static final VectorShuffle<Float> SWAP_2 = swap(2);
    static final VectorShuffle<Float> SWAP_1 = swap(1);

    private Vectors() {}

    private static VectorSpecies<Float> preferred() {
        int lanes = FloatVector.SPECIES_PREFERRED.length();
        return lanes >= 16 ? FloatVector.SPECIES_512 : lanes >= 8 ? FloatVector.SPECIES_256 : FloatVector.SPECIES_128;
    }

    private static VectorShuffle<Float> swap(int distance) {
        int[] indexes = new int[LANES];
        for (int i = 0; i < LANES; i++) {
            indexes[i] = (i ^ distance) % LANES;
        }
        return VectorShuffle.fromValues(FLOATS, indexes);
    }

    static FloatVector zero() {
        return FloatVector.zero(FLOATS);
    }

    static FloatVector broadcast(float value) {
        return FloatVector.broadcast(FLOATS, value);
    }

    static FloatVector load(long address) {
        return FloatVector.fromMemorySegment(FLOATS, HostMemory.ALL, address, ByteOrder.LITTLE_ENDIAN);
    }

    /** Lanes outside the mask are 0 and not read. */
    static FloatVector load(long address, VectorMask<Float> mask) {
        return FloatVector.fromMemorySegment(FLOATS, HostMemory.ALL, address, ByteOrder.LITTLE_ENDIAN, mask);
    }

    static void store(FloatVector vector, long address) {
        vector.intoMemorySegment(HostMemory.ALL, address, ByteOrder.LITTLE_ENDIAN);
    }

    static void store(FloatVector vector, long address, VectorMask<Float> mask) {
        vector.intoMemorySegment(HostMemory.ALL, address, ByteOrder.LITTLE_ENDIAN, mask);
    }

    /** The first {@code remaining} lanes (all of them when there are fewer lanes). */
    static VectorMask<Float> first(int remaining) {
        return FLOATS.indexInRange(0, remaining);
    }

    /** How many of {@code count} elements fill whole vectors. */
    static int whole(int count) {
        return count & -LANES;
    }

    /**
     * Sum of the lanes, in an order that depends only on the number of lanes. In methods of at most 35 bytes of bytecode, which are inlined
     * at rare call sites too; otherwise the vector would go to the heap there.
     */
    static float sum(FloatVector vector) {
        return foldInTwo(foldInFour(foldInEight(foldInSixteen(vector)))).lane(0);
    }

    private static FloatVector foldInSixteen(FloatVector v) {
        return LANES > 8 ? v.add(v.rearrange(SWAP_8)) : v;
    }

    private static FloatVector foldInEight(FloatVector v) {
        return LANES > 4 ? v.add(v.rearrange(SWAP_4)) : v;
    }

    private static FloatVector foldInFour(FloatVector v) {
        return v.add(v.rearrange(SWAP_2));
    }

    private static FloatVector foldInTwo(FloatVector v) {
        return v.add(v.rearrange(SWAP_1));
    }
}
