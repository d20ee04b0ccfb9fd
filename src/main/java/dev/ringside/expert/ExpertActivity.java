package dev.ringside.expert;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/** What became of each expert. Written by the engine thread alone, read by anyone without locking: entries may be a gather apart. */
final class ExpertActivity {

    private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(int[].class);

    private final List<Integer> layers;
    private final int[] expertCounts;
    /** Index of a layer's first expert, by layer number. */
    private final int[] bases;
    private final int[] resident;
    private final int[] uses;
    private final int[] loads;

    /** @param layers ascending */
    ExpertActivity(List<Integer> layers, int[] expertCounts) {
        this.layers = layers;
        this.expertCounts = expertCounts;
        this.bases = new int[layers.getLast() + 1];
        int total = 0;
        for (int i = 0; i < expertCounts.length; i++) {
            bases[layers.get(i)] = total;
            total += expertCounts[i];
        }
        this.resident = new int[total];
        this.uses = new int[total];
        this.loads = new int[total];
    }

    void mapped(int key) {
        int at = index(key);
        ENTRY.setOpaque(resident, at, 1);
        add(loads, at);
    }

    void unmapped(int key) {
        ENTRY.setOpaque(resident, index(key), 0);
    }

    void used(int layer, int[] experts, int count) {
        for (int i = 0; i < count; i++) {
            add(uses, bases[layer] + experts[i]);
        }
    }

    ExpertMap map() {
        boolean[] present = new boolean[resident.length];
        for (int i = 0; i < present.length; i++) {
            present[i] = (int) ENTRY.getOpaque(resident, i) != 0;
        }
        return new ExpertMap(layers, expertCounts.clone(), present, copy(uses), copy(loads));
    }

    private int index(int key) {
        return bases[ExpertKey.layer(key)] + ExpertKey.expert(key);
    }

    private static void add(int[] counts, int at) {
        ENTRY.setOpaque(counts, at, (int) ENTRY.getOpaque(counts, at) + 1);
    }

    private static int[] copy(int[] counts) {
        int[] copy = new int[counts.length];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = (int) ENTRY.getOpaque(counts, i);
        }
        return copy;
    }
}
