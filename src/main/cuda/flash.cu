// Causal attention of the rows of prompts over pages, on tensor cores.
//
// A block takes BM consecutive rows of a segment and one query head, and goes over the keys in blocks of BN from position 0 on, as every
// row does whatever block it is in: a block of keys that a row does not see leaves its bits as they are. So a row's bits do not depend on
// how a prompt is cut or on its mates.
//
// Keys and values in f16 go to the tensor cores as they are; queries are sums of two f16, weights are rounded to f16 (values were, too). Keys
// and values in f32, queries and weights are sums of two bf16 each, as in mma.cu.

#include "common.cuh"
#include "mma.cuh"
#include "pages.cuh"

template <typename T> struct Format;
template <> struct Format<__half> {
    static constexpr int PLANES = 1;
    static constexpr int STAGES = 2;

    static __device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
        multiplyF16(c, a, b0, b1);
    }

    static __device__ __forceinline__ void split(float first, float second, uint32_t& high, uint32_t& low) {
        high = pairF16(first, second);
        float2 rounded = __half22float2(*(const __half2*) &high);
        low = pairF16(first - rounded.x, second - rounded.y);
    }
};
template <> struct Format<float> {
    static constexpr int PLANES = 2;
    static constexpr int STAGES = 1;

    static __device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
        multiplyBf16(c, a, b0, b1);
    }

    static __device__ __forceinline__ void split(float first, float second, uint32_t& high, uint32_t& low) {
        splitPair(first, second, high, low);
    }
};

__device__ __forceinline__ float powerOfTwo(float x) {
    float r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

// Over the four lanes that hold a row of a fragment.
__device__ __forceinline__ float quadMax(float v) {
    v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, 1));
    return fmaxf(v, __shfl_xor_sync(0xffffffffu, v, 2));
}

__device__ __forceinline__ float quadSum(float v) {
    v += __shfl_xor_sync(0xffffffffu, v, 1);
    return v + __shfl_xor_sync(0xffffffffu, v, 2);
}

// Offset of a chunk of 16 bytes in a tile of rows of D elements.
template <int D> __device__ __forceinline__ uint32_t placeOf(int row, int chunk) {
    return row * (2 * D) + ((chunk ^ (row & 7)) << 4);
}

// Keys or values of BN positions from `from` on; what lies behind `end`, or behind the head's size, is zero.
template <int D, int BN, int THREADS>
__device__ __forceinline__ void bring(const Step* step, const Shape& s, int segment, int kvHead, long long offset, int from, int end,
        char* tile, __half) {
    constexpr int CHUNKS = D / 8;
    uint32_t target = sharedAddress(tile);
#pragma unroll
    for (int i = threadIdx.x; i < BN * CHUNKS; i += THREADS) {
        int row = i / CHUNKS;
        int chunk = i % CHUNKS;
        int position = min(from + row, end - 1);
        bool there = from + row < end && 8 * chunk < s.headSize;
        const __half* source = (const __half*) (pageOf(step, segment, position / s.pageTokens) + offset)
                + ((size_t) (position % s.pageTokens) * s.kvHeads + kvHead) * s.headSize + (there ? 8 * chunk : 0);
        copy16(target + placeOf<D>(row, chunk), source, there ? 16 : 0);
    }
}

template <int D, int BN, int THREADS>
__device__ __forceinline__ void bring(const Step* step, const Shape& s, int segment, int kvHead, long long offset, int from, int end,
        char* tile, float) {
    constexpr int CHUNKS = D / 8;
    for (int i = threadIdx.x; i < BN * CHUNKS; i += THREADS) {
        int row = i / CHUNKS;
        int chunk = i % CHUNKS;
        int position = from + row;
        uint4 high = make_uint4(0, 0, 0, 0);
        uint4 low = high;
        if (position < end && 8 * chunk < s.headSize) {
            const float4* source = (const float4*) ((const float*) (pageOf(step, segment, position / s.pageTokens) + offset)
                    + ((size_t) (position % s.pageTokens) * s.kvHeads + kvHead) * s.headSize + 8 * chunk);
            float4 a = source[0];
            float4 b = source[1];
            splitPair(a.x, a.y, high.x, low.x);
            splitPair(a.z, a.w, high.y, low.y);
            splitPair(b.x, b.y, high.z, low.z);
            splitPair(b.z, b.w, high.w, low.w);
        }
        char* target = tile + placeOf<D>(row, chunk);
        *(uint4*) target = high;
        *(uint4*) (target + 2 * BN * D) = low;
    }
}

// scale: headSize^-0.5 times log2(e). Dynamic shared memory: queries in two planes of BM rows, then STAGES times keys and values, each in
// PLANES planes of BN rows, of D elements of 16 bits.
template <typename T, int D, int BN, int WARPS>
__device__ __forceinline__ void flash(const Step* step, const Shape& s, int firstSegment, float scale, const float* query,
        const float* queryGate, float* out) {
    typedef Format<T> F;
    constexpr int THREADS = 32 * WARPS;
    constexpr int BM = 16 * WARPS;
    constexpr int KEYS = F::PLANES * BN * D * 2;
    extern __shared__ __align__(128) char memory[];
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    int head = blockIdx.y;
    int kvHead = head / (s.heads / s.kvHeads);

    // The last tiles see the most keys: they go first.
    int tile = gridDim.x - 1 - blockIdx.x;
    int segment = firstSegment;
    int firstRow = step->firstRow[segment];
    int endRow = step->firstRow[segment + 1];
    while (tile >= (endRow - firstRow + BM - 1) / BM) {
        tile -= (endRow - firstRow + BM - 1) / BM;
        segment++;
        firstRow = endRow;
        endRow = step->firstRow[segment + 1];
    }
    firstRow += tile * BM;
    int rows = min(BM, endRow - firstRow);
    int firstPosition = step->positions[firstRow];
    int end = firstPosition + rows;

    char* queries = memory;
    char* keys = memory + 2 * BM * D * 2;
    for (int i = threadIdx.x; i < BM * (D / 8); i += THREADS) {
        int row = i / (D / 8);
        int chunk = i % (D / 8);
        uint4 high = make_uint4(0, 0, 0, 0);
        uint4 low = high;
        if (row < rows && 8 * chunk < s.headSize) {
            const float4* source = (const float4*) (query + ((size_t) (firstRow + row) * s.heads + head) * s.headSize + 8 * chunk);
            float4 a = source[0];
            float4 b = source[1];
            F::split(a.x * scale, a.y * scale, high.x, low.x);
            F::split(a.z * scale, a.w * scale, high.y, low.y);
            F::split(b.x * scale, b.y * scale, high.z, low.z);
            F::split(b.z * scale, b.w * scale, high.w, low.w);
        }
        char* target = queries + placeOf<D>(row, chunk);
        *(uint4*) target = high;
        *(uint4*) (target + 2 * BM * D) = low;
    }

    float values[D / 8][4];
#pragma unroll
    for (int d = 0; d < D / 8; d++) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
            values[d][e] = 0.0f;
        }
    }
    float maximum[2] = {-INFINITY, -INFINITY};
    float sum[2] = {0.0f, 0.0f};
    int firstSeen = firstPosition + 16 * warp;
    int blocks = (end + BN - 1) / BN;
    uint32_t queryAddress = sharedAddress(queries);
    if (F::STAGES == 2) {
        bring<D, BN, THREADS>(step, s, segment, kvHead, s.keyOffset, 0, end, keys, T());
        bring<D, BN, THREADS>(step, s, segment, kvHead, s.valueOffset, 0, end, keys + KEYS, T());
        commitCopies();
    }
    for (int block = 0; block < blocks; block++) {
        char* stage = keys + (F::STAGES == 2 ? (block & 1) * 2 * KEYS : 0);
        if (F::STAGES == 2) {
            awaitCopies<0>();
            __syncthreads();
            if (block + 1 < blocks) {
                char* next = keys + ((block + 1) & 1) * 2 * KEYS;
                bring<D, BN, THREADS>(step, s, segment, kvHead, s.keyOffset, (block + 1) * BN, end, next, T());
                bring<D, BN, THREADS>(step, s, segment, kvHead, s.valueOffset, (block + 1) * BN, end, next + KEYS, T());
            }
            commitCopies();
        } else {
            __syncthreads();
            bring<D, BN, THREADS>(step, s, segment, kvHead, s.keyOffset, block * BN, end, stage, T());
            bring<D, BN, THREADS>(step, s, segment, kvHead, s.valueOffset, block * BN, end, stage + KEYS, T());
            __syncthreads();
        }
        if (block * BN > firstSeen + 15 || 16 * warp >= rows) {
            continue;
        }
        float score[BN / 8][4];
#pragma unroll
        for (int j = 0; j < BN / 8; j++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                score[j][e] = 0.0f;
            }
        }
        uint32_t keyAddress = sharedAddress(stage);
#pragma unroll (F::PLANES == 2 ? 1 : 4)
        for (int k = 0; k < D / 16; k++) {
            uint32_t high[4];
            uint32_t low[4];
            uint32_t at = queryAddress + placeOf<D>(16 * warp + (lane & 15), 2 * k + (lane >> 4));
            loadMatrices(high, at);
            loadMatrices(low, at + 2 * BM * D);
#pragma unroll
            for (int j = 0; j < BN / 16; j++) {
                uint32_t key[4];
                uint32_t from = keyAddress + placeOf<D>(16 * j + (lane >> 4 << 3) + (lane & 7), 2 * k + (lane >> 3 & 1));
                loadMatrices(key, from);
                F::multiply(score[2 * j], low, key[0], key[1]);
                F::multiply(score[2 * j + 1], low, key[2], key[3]);
                if (F::PLANES == 2) {
                    uint32_t rest[4];
                    loadMatrices(rest, from + 2 * BN * D);
                    F::multiply(score[2 * j], high, rest[0], rest[1]);
                    F::multiply(score[2 * j + 1], high, rest[2], rest[3]);
                }
                F::multiply(score[2 * j], high, key[0], key[1]);
                F::multiply(score[2 * j + 1], high, key[2], key[3]);
            }
        }
        if (block * BN + BN - 1 > firstSeen) {
#pragma unroll
            for (int j = 0; j < BN / 8; j++) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    int position = block * BN + 8 * j + 2 * (lane & 3) + (e & 1);
                    if (position > firstSeen + (lane >> 2) + 8 * (e >> 1)) {
                        score[j][e] = -INFINITY;
                    }
                }
            }
        }
        float factor[2];
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float most = maximum[half];
#pragma unroll
            for (int j = 0; j < BN / 8; j++) {
                most = fmaxf(most, fmaxf(score[j][2 * half], score[j][2 * half + 1]));
            }
            most = quadMax(most);
            factor[half] = powerOfTwo(maximum[half] - most);
            maximum[half] = most;
            float part = 0.0f;
#pragma unroll
            for (int j = 0; j < BN / 8; j++) {
#pragma unroll
                for (int e = 2 * half; e < 2 * half + 2; e++) {
                    score[j][e] = powerOfTwo(score[j][e] - most);
                    part += score[j][e];
                }
            }
            sum[half] = fmaf(sum[half], factor[half], part);
        }
#pragma unroll
        for (int d = 0; d < D / 8; d++) {
            values[d][0] *= factor[0];
            values[d][1] *= factor[0];
            values[d][2] *= factor[1];
            values[d][3] *= factor[1];
        }
        uint32_t valueAddress = keyAddress + KEYS;
#pragma unroll
        for (int k = 0; k < BN / 16; k++) {
            uint32_t weight[4];
            uint32_t rest[4];
            F::split(score[2 * k][0], score[2 * k][1], weight[0], rest[0]);
            F::split(score[2 * k][2], score[2 * k][3], weight[1], rest[1]);
            F::split(score[2 * k + 1][0], score[2 * k + 1][1], weight[2], rest[2]);
            F::split(score[2 * k + 1][2], score[2 * k + 1][3], weight[3], rest[3]);
#pragma unroll
            for (int d = 0; d < D / 16; d++) {
                uint32_t value[4];
                uint32_t from = valueAddress + placeOf<D>(16 * k + (lane & 15), 2 * d + (lane >> 4));
                loadMatricesTransposed(value, from);
                if (F::PLANES == 2) {
                    uint32_t low[4];
                    loadMatricesTransposed(low, from + 2 * BN * D);
                    F::multiply(values[2 * d], rest, value[0], value[1]);
                    F::multiply(values[2 * d + 1], rest, value[2], value[3]);
                    F::multiply(values[2 * d], weight, low[0], low[1]);
                    F::multiply(values[2 * d + 1], weight, low[2], low[3]);
                }
                F::multiply(values[2 * d], weight, value[0], value[1]);
                F::multiply(values[2 * d + 1], weight, value[2], value[3]);
            }
        }
    }
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float total = quadSum(sum[half]);
        int row = 16 * warp + 8 * half + (lane >> 2);
        if (row >= rows) {
            continue;
        }
        size_t item = (size_t) (firstRow + row) * s.heads + head;
        const float* gate = queryGate + (item * 2 + 1) * s.headSize;
        float* target = out + item * s.headSize;
#pragma unroll
        for (int d = 0; d < D / 8; d++) {
            int i = 8 * d + 2 * (lane & 3);
            if (i < s.headSize) {
                float a = values[d][2 * half] / total;
                float b = values[d][2 * half + 1] / total;
                if (s.gated) {
                    a *= sigmoid(gate[i]);
                    b *= sigmoid(gate[i + 1]);
                }
                *(float2*) (target + i) = make_float2(a, b);
            }
        }
    }
}

#define FLASH(T, suffix, D, BN, WARPS)                                                                                                     \
    extern "C" __global__ void __launch_bounds__(32 * WARPS) flash_##suffix##_##D(const Step* step, const __grid_constant__ Shape s,       \
            int firstSegment, float scale, const float* query, const float* queryGate, float* out) {                                      \
        flash<T, D, BN, WARPS>(step, s, firstSegment, scale, query, queryGate, out);                                                       \
    }

FLASH(__half, f16, 64, 64, 8)
FLASH(__half, f16, 128, 64, 8)
FLASH(__half, f16, 256, 32, 4)
FLASH(float, f32, 64, 64, 8)
FLASH(float, f32, 128, 64, 8)
FLASH(float, f32, 256, 32, 4)
