package dev.ringside.expert;

import java.util.Arrays;

/**
 * How often each expert was asked for lately, whether it is in a slot or not, at several time scales. A use counts 1 and half as much a
 * half-life later; time is counted in gathers of the expert's layer, which are tokens, and nothing is updated in between.
 */
final class KeyHistory {

    /** Half-lives after which a use is forgotten. */
    private static final int REACH = 24;

    private final int[] bases;
    /** Of all scales of an expert side by side: they are used together. */
    private final float[] weights;
    private final int[] last;
    private final int[] clocks;
    private final float[][] decay;
    private int layer;

    /** @param expertCounts experts of each layer by number; 0 for a layer without */
    KeyHistory(int[] expertCounts, int... halfLives) {
        bases = new int[expertCounts.length];
        int count = 0;
        for (int i = 0; i < expertCounts.length; i++) {
            bases[i] = count;
            count += expertCounts[i];
        }
        weights = new float[halfLives.length * count];
        last = new int[count];
        clocks = new int[expertCounts.length];
        decay = new float[halfLives.length][];
        for (int scale = 0; scale < halfLives.length; scale++) {
            decay[scale] = new float[REACH * halfLives[scale]];
            for (int age = 0; age < decay[scale].length; age++) {
                decay[scale][age] = (float) Math.pow(0.5, (double) age / halfLives[scale]);
            }
        }
        Arrays.fill(last, Integer.MIN_VALUE / 2);
    }

    static int[] expertCounts(ExpertSource source) {
        int[] counts = new int[source.layout().layers().getLast() + 1];
        for (int layer : source.layout().layers()) {
            counts[layer] = source.expertCount(layer);
        }
        return counts;
    }

    /** One gather of a layer. */
    void record(int ofLayer, int[] experts, int count) {
        layer = ofLayer;
        int now = ++clocks[layer];
        for (int i = 0; i < count; i++) {
            int at = bases[layer] + experts[i];
            for (int scale = 0; scale < decay.length; scale++) {
                int place = at * decay.length + scale;
                weights[place] = 1 + weights[place] * decayed(scale, now - last[at]);
            }
            last[at] = now;
        }
    }

    /** Uses of an expert, each counting the less the longer ago it was. */
    float frequency(int scale, int key) {
        int of = ExpertKey.layer(key);
        int at = bases[of] + ExpertKey.expert(key);
        return weights[at * decay.length + scale] * decayed(scale, clocks[of] - last[at]);
    }

    /** Share of gathers in which the expert was asked for, as far as this scale remembers: 0 to 1. */
    float rate(int scale, int key) {
        return frequency(scale, key) * (1 - decay[scale][1]);
    }

    /** Gathers until the layer of a key has its turn again, when layers go round: 1 to the number of layers. */
    int distance(int key) {
        int ahead = ExpertKey.layer(key) - layer;
        return ahead > 0 ? ahead : ahead + clocks.length;
    }

    int layers() {
        return clocks.length;
    }

    private float decayed(int scale, int age) {
        float[] table = decay[scale];
        return age >= 0 && age < table.length ? table[age] : 0;
    }
}
