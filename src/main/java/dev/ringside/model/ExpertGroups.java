package dev.ringside.model;

import dev.ringside.gpu.ExpertWave;
import dev.ringside.gpu.RoutingTable;
import java.util.Arrays;

/** The (row, choice) pairs of a step sorted by expert. A counting sort over reused arrays. */
final class ExpertGroups {

    private final int[] experts;
    private final int[] start;
    private final int[] cursor;
    private final int[] pairs;
    private int count;

    /**
     * @param expertCount experts of a layer
     * @param maxPairs most (row, choice) pairs of a step
     */
    ExpertGroups(int expertCount, int maxPairs) {
        this.experts = new int[expertCount];
        this.start = new int[expertCount + 1];
        this.cursor = new int[expertCount];
        this.pairs = new int[maxPairs];
    }

    void group(RoutingTable routing, int rows) {
        Arrays.fill(start, 0);
        int choices = routing.choices();
        for (int row = 0; row < rows; row++) {
            for (int choice = 0; choice < choices; choice++) {
                start[routing.expert(row, choice) + 1]++;
            }
        }
        count = 0;
        for (int expert = 0; expert < experts.length; expert++) {
            if (start[expert + 1] > 0) {
                experts[count++] = expert;
            }
            start[expert + 1] += start[expert];
            cursor[expert] = start[expert];
        }
        for (int row = 0; row < rows; row++) {
            for (int choice = 0; choice < choices; choice++) {
                pairs[cursor[routing.expert(row, choice)]++] = row * choices + choice;
            }
        }
    }

    /** The distinct experts, ascending; {@link #count()} of them are valid. */
    int[] experts() {
        return experts;
    }

    int count() {
        return count;
    }

    /** Writes the groups of some experts and the slots they lie in. */
    void fill(ExpertWave wave, int[] waveExperts, long[] slotAddresses, int waveCount) {
        int next = 0;
        for (int group = 0; group < waveCount; group++) {
            int expert = waveExperts[group];
            wave.expert[group] = expert;
            wave.slotAddress[group] = slotAddresses[group];
            wave.firstPair[group] = next;
            int length = start[expert + 1] - start[expert];
            System.arraycopy(pairs, start[expert], wave.pairs, next, length);
            next += length;
        }
        wave.firstPair[waveCount] = next;
        wave.groups = waveCount;
    }
}
