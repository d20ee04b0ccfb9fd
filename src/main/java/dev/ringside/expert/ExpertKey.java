package dev.ringside.expert;

/** A (layer, expert) pair in one non-negative int: the layer in the upper 15 bits, the expert in the lower 16. */
public final class ExpertKey {

    /** Most layers a key can name. */
    public static final int MAX_LAYERS = 1 << 15;

    /** Most experts of a layer a key can name. */
    public static final int MAX_EXPERTS = 1 << 16;

    private ExpertKey() {}

    public static int of(int layer, int expert) {
        if (layer < 0 || layer >= MAX_LAYERS || expert < 0 || expert >= MAX_EXPERTS) {
            throw new IllegalArgumentException("No such expert key: layer " + layer + ", expert " + expert + "; layers go up to "
                    + (MAX_LAYERS - 1) + ", experts to " + (MAX_EXPERTS - 1));
        }
        return layer << 16 | expert;
    }

    public static int layer(int key) {
        return key >>> 16;
    }

    public static int expert(int key) {
        return key & 0xffff;
    }

    public static String toString(int key) {
        return "layer " + layer(key) + ", expert " + expert(key);
    }
}
