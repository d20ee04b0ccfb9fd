package dev.ringside.ops;

import dev.ringside.expert.ExpertMap;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * From what became of each expert to what one watcher sees: a byte for each, in the map's order. Bit 7 says that the expert is in a slot,
 * bit 6 that it was put there since the last picture; the six lower bits say how much it was used lately, 0 for not at all.
 */
final class HeatMap {

    static final int RESIDENT = 0x80;
    static final int LOADED = 0x40;
    static final int HOTTEST = 0x3f;

    /** What a use counts for one picture later: with two a second, half after three seconds. */
    private static final float KEPT = 0.89f;

    private int[] uses = {};
    private int[] loads = {};
    private float[] heat = {};
    private byte[] shown = {};

    /** The next picture in base 64, or null when it looks like the last one. */
    @Nullable
    String next(ExpertMap map) {
        boolean first = heat.length != map.uses().length;
        if (first) {
            heat = new float[map.uses().length];
            uses = map.uses();
            loads = map.loads();
        }
        byte[] picture = new byte[heat.length];
        float hottest = 1;
        for (int i = 0; i < heat.length; i++) {
            heat[i] = heat[i] * KEPT + (map.uses()[i] - uses[i]);
            hottest = Math.max(hottest, heat[i]);
        }
        // Routing is skewed: on a linear scale all but a few experts would look cold.
        float scale = HOTTEST / (float) Math.log1p(hottest);
        for (int i = 0; i < heat.length; i++) {
            int level = Math.min(HOTTEST, Math.round(scale * (float) Math.log1p(heat[i])));
            picture[i] = (byte) (level | (map.resident()[i] ? RESIDENT : 0) | (map.loads()[i] != loads[i] ? LOADED : 0));
        }
        uses = map.uses();
        loads = map.loads();
        if (!first && Arrays.equals(picture, shown)) {
            return null;
        }
        shown = picture;
        return Base64.getEncoder().encodeToString(picture);
    }
}
