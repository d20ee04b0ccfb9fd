// Products of a stored matrix with activation rows, dense or by expert, and gathers of table rows. Compiled once for each type: -DQUANT=id.
//
// One warp makes O outputs for up to R rows: each lane decodes every 32nd unit of the weight rows once and multiplies it with all rows, so
// that weights are read once for R rows and activations once for O outputs, and the lanes are summed in a fixed order. A row's bits do not
// depend on R and O, on the other rows, or on which group the rows came in.

#include "units.cuh"

static constexpr int WARPS = 4;
// sum[o][r] = row o . x[r]
template <int R, int O>
__device__ __forceinline__ void dot(const uint8_t* row, long long rowBytes, int columns, const int8_t* tables, const float* x,
        const uint32_t* offset, float (*sum)[R]) {
    int lane = threadIdx.x & 31;
#pragma unroll
    for (int o = 0; o < O; o++) {
#pragma unroll
        for (int r = 0; r < R; r++) {
            sum[o][r] = 0.0f;
        }
    }
    if (!PLAIN || columns % 16 == 0) {
        int units = columns / 16;
        for (int u = lane; u < units; u += 32) {
            float w[O][16];
#pragma unroll
            for (int o = 0; o < O; o++) {
                W::decode<false>(row + o * rowBytes, u, tables, w[o]);
            }
            const float* at = x + baseOf(u);
#pragma unroll
            for (int r = 0; r < R; r++) {
                const float* p = at + offset[r];
#pragma unroll
                for (int part = 0; part < 4; part++) {
                    float4 v = *(const float4*) (p + (part >> 1) * W::STRIDE + (part & 1) * 4);
#pragma unroll
                    for (int o = 0; o < O; o++) {
                        sum[o][r] = fmaf(w[o][4 * part], v.x, sum[o][r]);
                        sum[o][r] = fmaf(w[o][4 * part + 1], v.y, sum[o][r]);
                        sum[o][r] = fmaf(w[o][4 * part + 2], v.z, sum[o][r]);
                        sum[o][r] = fmaf(w[o][4 * part + 3], v.w, sum[o][r]);
                    }
                }
            }
        }
    } else {
        for (int i = lane; i < columns; i += 32) {
#pragma unroll
            for (int o = 0; o < O; o++) {
                float w = Tail<QUANT>::one(row + o * rowBytes, i);
#pragma unroll
                for (int r = 0; r < R; r++) {
                    sum[o][r] = fmaf(w, x[offset[r] + i], sum[o][r]);
                }
            }
        }
    }
#pragma unroll
    for (int o = 0; o < O; o++) {
#pragma unroll
        for (int r = 0; r < R; r++) {
            sum[o][r] = warpSum(sum[o][r]);
        }
    }
}

// y = W x, or with a second matrix y = silu(W x) . (V x). `second` is one more than its address or offset, 0 when there is none.
//
// slots == 0: one group of `rows` rows, weights and second are addresses. Otherwise group g is expert[g] with its matrices at slots[g] +
// weights and slots[g] + second, and serves pairs[firstPair[g]] to pairs[firstPair[g + 1] - 1].
// Entry i of the list reads row i of x when xDivide is 0, else row pairs[i] / xDivide; it writes row i of y, or pairs[i] with yPair.
struct Product {
    u64 weights, second;
    const float* scales;
    const float* secondScales;
    long long rowBytes;
    int outputs, columns;
    float scale, secondScale;
    const u64* slots;
    const int* firstPair;
    const int* pairs;
    const int* expert;
    int rows, xDivide, yPair;
    const int8_t* tables;
    const float* x;
    float* y;
};

template <int R, int O> __device__ __forceinline__ void product(const Product& a) {
    // The last warp goes over outputs of the warp in front of it again where outputs are no multiple of O: the same bits, twice.
    int output = min((int) (blockIdx.x * WARPS + (threadIdx.x >> 5)) * O, max(0, a.outputs - O));
    int group = blockIdx.z;
    int first = a.slots ? a.firstPair[group] : 0;
    int count = (a.slots ? a.firstPair[group + 1] - first : a.rows) - blockIdx.y * R;
    if (count <= 0) {
        return;
    }
    first += blockIdx.y * R;
    uint32_t offset[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
        int i = first + (r < count ? r : count - 1);
        offset[r] = (uint32_t) (a.xDivide ? a.pairs[i] / a.xDivide : i) * (uint32_t) a.columns;
    }
    u64 slot = a.slots ? a.slots[group] : 0;
    const uint8_t* row = (const uint8_t*) (slot + a.weights) + output * a.rowBytes;
    float scale = a.scales ? a.scales[a.expert[group]] : a.scale;
    float sum[O][R];
    float gate[O][R];
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        dot<R, O>(row, a.rowBytes, a.columns, a.tables, a.x, offset, sum);
#pragma unroll
        for (int o = 0; o < O; o++) {
#pragma unroll
            for (int r = 0; r < R; r++) {
                sum[o][r] *= scale;
                if (pass == 1) {
                    sum[o][r] *= gate[o][r];
                } else if (a.second) {
                    gate[o][r] = silu(sum[o][r]);
                }
            }
        }
        if (!a.second) {
            break;
        }
        row = (const uint8_t*) (slot + (a.second - 1)) + output * a.rowBytes;
        scale = a.secondScales ? a.secondScales[a.expert[group]] : a.secondScale;
    }
    if ((threadIdx.x & 31) == 0) {
#pragma unroll
        for (int r = 0; r < R; r++) {
            if (r < count) {
                int i = first + r;
                float* y = a.y + (size_t) (a.yPair ? a.pairs[i] : i) * a.outputs + output;
#pragma unroll
                for (int o = 0; o < O; o++) {
                    y[o] = sum[o][r];
                }
            }
        }
    }
}

#define PRODUCT(R, O)                                                                                                                      \
    extern "C" __global__ void __launch_bounds__(32 * WARPS) product_##R##x##O(const int* stop, const __grid_constant__ Product a) {                        \
        STOP(stop)   \
        product<R, O>(a);                                                                                                                  \
    }

PRODUCT(1, 1)
PRODUCT(1, 4)
PRODUCT(4, 4)
PRODUCT(8, 4)

// Decodes table rows, each written `copies` times. Row numbers are the step's tokens, or 64-bit in `numbers`.
extern "C" __global__ void gather(const int* stop, const uint8_t* table, long long rowBytes, int columns, float scale, const int8_t* tables, const Step* step,
        const long long* numbers, int copies, float* out) {
    STOP(stop)
    long long number = numbers ? numbers[blockIdx.x] : step->tokens[blockIdx.x];
    const uint8_t* row = table + number * rowBytes;
    float* target = out + (size_t) blockIdx.x * copies * columns;
    if (!PLAIN || columns % 16 == 0) {
        for (int u = threadIdx.x; u < columns / 16; u += blockDim.x) {
            float w[16];
            W::decode<true>(row, u, tables, w);
            for (int c = 0; c < copies; c++) {
                float* p = target + (size_t) c * columns + baseOf(u);
#pragma unroll
                for (int i = 0; i < 8; i++) {
                    p[i] = w[i] * scale;
                    p[W::STRIDE + i] = w[8 + i] * scale;
                }
            }
        }
    } else {
        for (int i = threadIdx.x; i < columns; i += blockDim.x) {
            float w = Tail<QUANT>::one(row, i) * scale;
            for (int c = 0; c < copies; c++) {
                target[(size_t) c * columns + i] = w;
            }
        }
    }
}
