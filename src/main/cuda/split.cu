// Activations of prompts as the tensor-core products read them; see mma.cu.

#include "mma.cuh"

// Row r of x, `columns` floats, becomes `padded` columns, a multiple of 32, as sums x1 + x2 of two bf16, zeros behind the last one. For each
// step of 32 columns there are the first parts and then the second ones, 128 bytes in all. Columns are in the order of decoded units: two
// units of twice eight columns, the second eight `stride` behind the first. One block for each row.
extern "C" __global__ void split(const float* x, int columns, int padded, int stride, uint4* out) {
    const float* row = x + (size_t) blockIdx.x * columns;
    uint4* target = out + (size_t) blockIdx.x * (padded / 4);
    bool aligned = columns % 4 == 0;
    for (int i = threadIdx.x; i < padded / 8; i += blockDim.x) {
        int unit = i >> 1;
        int from = 2 * stride * (unit / (stride / 8)) + 8 * (unit % (stride / 8)) + (i & 1) * stride;
        float v[8];
        if (aligned && from + 8 <= columns) {
            *(float4*) v = *(const float4*) (row + from);
            *(float4*) (v + 4) = *(const float4*) (row + from + 4);
        } else {
#pragma unroll
            for (int e = 0; e < 8; e++) {
                v[e] = from + e < columns ? row[from + e] : 0.0f;
            }
        }
        uint4 high, low;
        splitPair(v[0], v[1], high.x, low.x);
        splitPair(v[2], v[3], high.y, low.y);
        splitPair(v[4], v[5], high.z, low.z);
        splitPair(v[6], v[7], high.w, low.w);
        uint4* at = target + i / 4 * 8 + i % 4;
        at[0] = high;
        at[4] = low;
    }
}
