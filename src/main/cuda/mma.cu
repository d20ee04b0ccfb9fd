// Products of a stored matrix with the rows of prompts on tensor cores, dense or by expert. Compiled once for each type: -DQUANT=id.
//
// Both factors are sums of two bf16, w = w1 + w2 and x = x1 + x2, and w1 x1 + w1 x2 + w2 x1 is summed in floats: what is left out is below
// 2^-14 of a product and 2^-17.5 of it in the mean, so prompts are as exact as the float kernels of decoding for every purpose but bit equality, without a scale to keep
// elements in range. (bf16 alone would lose 2^-8, f16 2^-11 and its range.)
//
// A block makes BM rows times BN outputs in steps of 32 columns. Activation tiles come as they are (see split.cu), weight tiles are decoded
// by their threads a step ahead. A row's sum runs over the same steps in the same order whatever tile, group or step it is in, so its bits
// depend on nothing but the row and the matrix.
//
// With -DHOPPER for sm_90a: warp groups hand tiles in shared memory to the tensor cores (wgmma) and decode while these work.

#include "mma.cuh"
#include "units.cuh"

static constexpr int BM = 128;
static constexpr int BN = 128;
static constexpr int BK = 32;
static constexpr int THREADS = 256;
static constexpr int BLOCKS = 2;
static constexpr int X_STAGES = 3;
static constexpr int W_STAGES = 2;
static constexpr int X_PLANE = BM * BK * 2;
static constexpr int X_TILE = 2 * X_PLANE;
static constexpr int W_PLANE = BN * BK * 2;
static constexpr int W_TILE = 2 * W_PLANE;
// bf16 weights have no second part.
static constexpr bool WHOLE = QUANT == 30;

// As Product of matmul.cu. x: rows of `padded` columns, a multiple of BK, as split.cu makes them.
struct PromptProduct {
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
    int rows, xDivide, yPair, padded;
    const int8_t* tables;
    const uint16_t* x;
    float* y;
};

// A row of a tile is four chunks of 16 bytes, placed so that neither fragments nor decoded units meet in a bank.
__device__ __forceinline__ uint32_t chunkAt(int row, int chunk) {
    return row * (BK * 2) + ((chunk ^ (row >> 1 & 3)) << 4);
}

__device__ __forceinline__ void decodeUnit(const uint8_t* row, int u, int columns, const int8_t* tables, float* w) {
    if (PLAIN && (columns % 16 || 16 * u >= columns)) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            w[i] = 16 * u + i < columns ? Tail<QUANT>::one(row, 16 * u + i) : 0.0f;
        }
    } else {
        W::decode<false>(row, u, tables, w);
    }
}

__device__ __forceinline__ void storeUnit(const float* w, char* tile, int row, int unit) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
        uint32_t high[4];
        uint32_t low[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            splitPair(w[8 * half + 2 * i], w[8 * half + 2 * i + 1], high[i], low[i]);
        }
        char* at = tile + chunkAt(row, 2 * unit + half);
        *(uint4*) at = make_uint4(high[0], high[1], high[2], high[3]);
        if (!WHOLE) {
            *(uint4*) (at + W_PLANE) = make_uint4(low[0], low[1], low[2], low[3]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) prompt_product(const __grid_constant__ PromptProduct a) {
    extern __shared__ __align__(1024) char tiles[];
    int group = blockIdx.z;
    int first = a.slots ? a.firstPair[group] : 0;
    int count = (a.slots ? a.firstPair[group + 1] - first : a.rows) - blockIdx.y * BM;
    if (count <= 0) {
        return;
    }
    first += blockIdx.y * BM;
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    bool paired = a.second != 0;
    int firstOutput = blockIdx.x * (paired ? BN / 2 : BN);
    u64 slot = a.slots ? a.slots[group] : 0;

    // What this thread brings in. Of a row of the matrix: a unit. With a second matrix, the sixteen rows of the one that a warp multiplies are
    // followed by the same rows of the other.
    int tileRow = threadIdx.x >> 1;
    int unit = threadIdx.x & 1;
    int output = min(firstOutput + (paired ? (tileRow >> 5) * 16 + (tileRow & 15) : tileRow), a.outputs - 1);
    u64 matrix = paired && (tileRow & 16) ? a.second - 1 : a.weights;
    const uint8_t* wRow = (const uint8_t*) (slot + matrix) + output * a.rowBytes;

    // Of x: a chunk of every 32nd row in four. Eight lanes bring the first part of a row and the second part of its neighbour, so that they
    // share no bank, and the next eight the others, so that whole lines are read.
    int plane = threadIdx.x >> 2 & 1;
    int xFirst = 2 * (threadIdx.x >> 4) + (plane ^ (threadIdx.x >> 3 & 1));
    constexpr int X_APART = THREADS / 8;
    const uint16_t* xRows[BM / X_APART];
#pragma unroll
    for (int i = 0; i < BM / X_APART; i++) {
        int listed = first + min(xFirst + i * X_APART, count - 1);
        xRows[i] = a.x + (size_t) (a.xDivide ? a.pairs[listed] / a.xDivide : listed) * 2 * a.padded + (plane * 4 + (threadIdx.x & 3)) * 8;
    }

    char* wTiles = tiles + X_STAGES * X_TILE;
    uint32_t xShared = sharedAddress(tiles);
    uint32_t wShared = sharedAddress(wTiles);
    uint32_t xTarget = xShared + plane * X_PLANE + chunkAt(xFirst, threadIdx.x & 3);
    int steps = a.padded / BK;

    auto bringX = [&](int step) {
        if (step < steps) {
#pragma unroll
            for (int i = 0; i < BM / X_APART; i++) {
                if (xFirst + i * X_APART < count) {
                    copy16(xTarget + step % X_STAGES * X_TILE + i * X_APART * BK * 2, xRows[i] + step * 2 * BK);
                }
            }
        }
        commitCopies();
    };
    auto bringW = [&](int step) {
        if (step < steps) {
            float w[16];
            decodeUnit(wRow, 2 * step + unit, a.columns, a.tables, w);
            storeUnit(w, wTiles + step % W_STAGES * W_TILE, tileRow, unit);
        }
    };

#ifndef HOPPER
    int warpN = warp & 3;
    int warpM = warp >> 2;
    // Tiles of sixteen rows alternate between the two rows of warps; those without a row are left out.
    int used = (min(count, BM) + 15) / 16;
    int mine = (used - warpM + 1) / 2;
    float sum[4][4][4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                sum[i][j][e] = 0.0f;
            }
        }
    }
    int xFragmentRow = warpM * 16 + (lane & 15);
    int wFragmentRow = warpN * 32 + (lane >> 4 << 3) + (lane & 7);
    auto multiply = [&](int step) {
        uint32_t x = xShared + step % X_STAGES * X_TILE;
        uint32_t w = wShared + step % W_STAGES * W_TILE;
#pragma unroll
        for (int k = 0; k < BK / 16; k++) {
            uint32_t high[2][4];
            uint32_t low[2][4];
#pragma unroll
            for (int j = 0; j < 2; j++) {
                uint32_t at = w + chunkAt(wFragmentRow + 16 * j, 2 * k + (lane >> 3 & 1));
                loadMatrices(high[j], at);
                if (!WHOLE) {
                    loadMatrices(low[j], at + W_PLANE);
                }
            }
#pragma unroll
            for (int i = 0; i < 4; i++) {
                if (i < mine) {
                    uint32_t xHigh[4];
                    uint32_t xLow[4];
                    uint32_t at = x + chunkAt(xFragmentRow + 32 * i, 2 * k + (lane >> 4));
                    loadMatrices(xHigh, at);
                    loadMatrices(xLow, at + X_PLANE);
#pragma unroll
                    for (int j = 0; j < 4; j++) {
                        multiplyBf16(sum[i][j], xLow, high[j >> 1][(j & 1) * 2], high[j >> 1][(j & 1) * 2 + 1]);
                    }
                    if (!WHOLE) {
#pragma unroll
                        for (int j = 0; j < 4; j++) {
                            multiplyBf16(sum[i][j], xHigh, low[j >> 1][(j & 1) * 2], low[j >> 1][(j & 1) * 2 + 1]);
                        }
                    }
#pragma unroll
                    for (int j = 0; j < 4; j++) {
                        multiplyBf16(sum[i][j], xHigh, high[j >> 1][(j & 1) * 2], high[j >> 1][(j & 1) * 2 + 1]);
                    }
                }
            }
        }
    };

    bringX(0);
    bringX(1);
    bringW(0);
    for (int step = 0; step < steps; step++) {
        awaitCopies<1>();
        __syncthreads();
        bringX(step + 2);
        // Half of the warps decode while the other half multiplies.
#pragma unroll 1
        for (int phase = 0; phase < 2; phase++) {
            if (phase == warpM) {
                bringW(step + 1);
            } else {
                multiply(step);
            }
        }
    }
#else
    float sum[16][4];
#pragma unroll
    for (int j = 0; j < 16; j++) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
            sum[j][e] = 0.0f;
        }
    }
    int warpGroup = threadIdx.x >> 7;
    bool busy = 64 * warpGroup < count;
    bringX(0);
    bringX(1);
    bringW(0);
    for (int step = 0; step < steps; step++) {
        awaitCopies<1>();
        publish();
        __syncthreads();
        if (busy) {
            uint64_t x = tileAt(xShared + step % X_STAGES * X_TILE + warpGroup * (64 * BK * 2));
            uint64_t w = tileAt(wShared + step % W_STAGES * W_TILE);
            beginGroup();
#pragma unroll
            for (int k = 0; k < BK / 16; k++) {
                multiplyGroup(sum, x + (X_PLANE >> 4) + 2 * k, w + 2 * k);
                if (!WHOLE) {
                    multiplyGroup(sum, x + 2 * k, w + (W_PLANE >> 4) + 2 * k);
                }
                multiplyGroup(sum, x + 2 * k, w + 2 * k);
            }
            commitGroup();
        }
        bringX(step + 2);
        bringW(step + 1);
        awaitGroups<0>();
    }
#endif

    float scale = a.scales ? a.scales[a.expert[group]] : a.scale;
    float secondScale = !paired ? 1.0f : a.secondScales ? a.secondScales[a.expert[group]] : a.secondScale;
    bool even = (a.outputs & 1) == 0 && ((size_t) a.y & 7) == 0;
    auto put = [&](float* row, int at, float v0, float v1) {
        if (even && at + 1 < a.outputs) {
            *(float2*) (row + at) = make_float2(v0, v1);
        } else {
            if (at < a.outputs) {
                row[at] = v0;
            }
            if (at + 1 < a.outputs) {
                row[at + 1] = v1;
            }
        }
    };
    // A row's sums of 32 rows of the tile of weights, which are block `part` of it.
    auto putPart = [&](float* row, int part, const float (*v)[4], int half) {
        int at = firstOutput + part * (paired ? 16 : 32) + 2 * (lane & 3);
        if (paired) {
#pragma unroll
            for (int j = 0; j < 2; j++) {
                put(row, at + 8 * j, silu(v[j][2 * half] * scale) * (v[j + 2][2 * half] * secondScale),
                        silu(v[j][2 * half + 1] * scale) * (v[j + 2][2 * half + 1] * secondScale));
            }
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                put(row, at + 8 * j, v[j][2 * half] * scale, v[j][2 * half + 1] * scale);
            }
        }
    };
    auto target = [&](int r) {
        return a.y + (size_t) (a.yPair ? a.pairs[first + r] : first + r) * a.outputs;
    };
#pragma unroll
    for (int half = 0; half < 2; half++) {
#ifndef HOPPER
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int r = warpM * 16 + 32 * i + 8 * half + (lane >> 2);
            if (r < count) {
                putPart(target(r), warpN, sum[i], half);
            }
        }
#else
        int r = warp * 16 + 8 * half + (lane >> 2);
        if (r < count) {
            float* row = target(r);
#pragma unroll
            for (int part = 0; part < 4; part++) {
                putPart(row, part, sum + 4 * part, half);
            }
        }
#endif
    }
}
