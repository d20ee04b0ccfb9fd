// Activations of few rows as the products of decoding read them: in groups of 32 columns as sixteen-bit integers q with a scale, the greatest
// being 32512, so that products with integer weights are exact integers. q = 256 high + low, both bytes.
//
// [group][row][high or low][32] bytes, then [group][row] pairs of the scale and the scale times the sum of q.
#pragma once

#include "common.cuh"

// By a whole warp, whose lanes hold the group's columns. What is not finite spoils the group, as it would a product of floats.
__device__ __forceinline__ void storeGroup(uint8_t* parts, int groups, int rows, int row, int group, float v) {
    int lane = threadIdx.x & 31;
    float most = warpMax(fabsf(v));
    bool finite = __all_sync(0xffffffffu, isfinite(v));
    float scale = finite ? most * (1.0f / 32512.0f) : NAN;
    int q = finite && most > 1e-33f ? __float2int_rn(v * (32512.0f / most)) : 0;
    int high = (q + 128) >> 8;
    size_t at = (size_t) group * rows + row;
    parts[at * 64 + lane] = (uint8_t) high;
    parts[at * 64 + 32 + lane] = (uint8_t) (q - (high << 8));
    int sum = __reduce_add_sync(0xffffffffu, q);
    if (lane == 0) {
        ((float2*) (parts + (size_t) groups * rows * 64))[at] = make_float2(scale, scale * (float) sum);
    }
}
