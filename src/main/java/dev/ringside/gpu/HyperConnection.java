package dev.ringside.gpu;

import org.jspecify.annotations.Nullable;

/**
 * Weights of one gated mixer over parallel residual streams (qwen4exp).
 *
 * @param count number of streams
 * @param width hidden size of one stream
 * @param norm F32, {@code count * width}
 * @param down low-rank projection, {@code rank x (count * width)}
 * @param up {@code (count * width) x rank}
 * @param inject {@code count x (count * width)}; absent in the output mixer
 */
public record HyperConnection(int count, int width, DevicePtr norm, Matrix down, Matrix up, @Nullable Matrix inject, float epsilon) {}
