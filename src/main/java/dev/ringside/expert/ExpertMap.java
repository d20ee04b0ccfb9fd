package dev.ringside.expert;

import java.util.List;

/**
 * Every expert at one moment, layer after layer.
 *
 * @param layers layers with experts, ascending
 * @param experts number of experts of each of these layers
 * @param resident whether an expert is in a slot; experts of one layer side by side, in the order of {@code layers}
 * @param uses how often a token or a chunk was routed to it, modulo 2^32
 * @param loads how often it was put into a slot, modulo 2^32
 */
public record ExpertMap(List<Integer> layers, int[] experts, boolean[] resident, int[] uses, int[] loads) {

    /** Of a model without experts. */
    public static final ExpertMap NONE = new ExpertMap(List.of(), new int[0], new boolean[0], new int[0], new int[0]);
}
