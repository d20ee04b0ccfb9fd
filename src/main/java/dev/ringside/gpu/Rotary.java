package dev.ringside.gpu;

/**
 * Rotary position embedding of the leading elements of a head: pair i is rotated by {@code position * inverseFrequencies[i]}.
 *
 * @param width elements rotated, even
 * @param inverseFrequencies F32, {@code width / 2}
 * @param magnitude factor on cosine and sine (YaRN's attention factor); 1 where the architecture has none
 * @param interleaved whether pair i is elements 2i and 2i + 1 (llama) instead of i and i + width / 2 (NEOX)
 */
public record Rotary(int width, DevicePtr inverseFrequencies, float magnitude, boolean interleaved) {

    public Rotary {
        if (width < 2 || width % 2 != 0) {
            throw new IllegalArgumentException("A rotary width is an even number, got " + width);
        }
        inverseFrequencies.require(2L * width, "Inverse frequencies");
    }

    /** NEOX pairs without a magnitude. */
    public static Rotary neox(int width, DevicePtr inverseFrequencies) {
        return new Rotary(width, inverseFrequencies, 1, false);
    }
}
