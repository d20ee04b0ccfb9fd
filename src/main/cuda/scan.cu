// The delta rule over the rows of prompts. See delta.cu for the formula; a row's state here is the state after the row in front of it, as
// there, so that a prompt can be cut anywhere (a chunked form would tie bits to where chunks begin).
//
// A warp holds 4 * PER columns of a head's state: lane p + 8 g has every key element of part p (four in a row, 32 apart) of PER columns.
// S^T k and S^T q of the state in front of the row are summed together, o = decay S^T q + (k . q) u, so that a row costs three exchanges
// between lanes; what heads have in common for all columns is computed beforehand (`delta_gates`). Rows come into shared memory ROWS at a time, ahead of their use, and into registers a row ahead.

#include "mma.cuh"
#include "recurrent.cuh"

static constexpr int PER = 2;
static constexpr int ROWS = 8;
static constexpr int STAGES = 3;
static constexpr int WARPS = 4;
static constexpr int THREADS = 32 * WARPS;
static constexpr int COLUMNS = 4 * PER * WARPS;

template <int N> struct Rows {
    float keys[STAGES][ROWS][32 * N];
    float queries[STAGES][ROWS][32 * N];
    float values[STAGES][ROWS][COLUMNS];
    float4 gates[STAGES][ROWS];
    u64 planes[STAGES][ROWS];
};

// What a lane needs of a row.
template <int N> struct Row {
    float key[N][4];
    float query[N][4];
    float value[PER];
    float decay, rate, both;
    u64 plane;

    __device__ __forceinline__ void load(const Rows<N>& rows, int stage, int r, int part, int column) {
        r = min(r, ROWS - 1);
#pragma unroll
        for (int m = 0; m < N; m++) {
            *(float4*) key[m] = *(const float4*) &rows.keys[stage][r][32 * m + 4 * part];
            *(float4*) query[m] = *(const float4*) &rows.queries[stage][r][32 * m + 4 * part];
        }
#pragma unroll
        for (int c = 0; c < PER; c++) {
            value[c] = rows.values[stage][r][column + c];
        }
        float4 gates = rows.gates[stage][r];
        decay = gates.x;
        rate = gates.y;
        both = gates.z;
        plane = rows.planes[stage][r];
    }
};

// Decay, rate and k . q of each head of each row, [row][valueHeads]. A warp for each.
extern "C" __global__ void delta_gates(const __grid_constant__ Delta d, const float* channels, const float* alpha, const float* beta, int count,
        float4* gates) {
    int i = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (i >= count) {
        return;
    }
    int head = i % d.valueHeads;
    const float* query = channels + (size_t) (i / d.valueHeads) * (2 * d.keyHeads * d.keySize + d.valueHeads * d.valueSize)
            + (d.grouped ? head / (d.valueHeads / d.keyHeads) : head % d.keyHeads) * d.keySize;
    const float* key = query + d.keyHeads * d.keySize;
    float both = 0.0f;
    for (int k = threadIdx.x & 31; k < d.keySize; k += 32) {
        both = fmaf(key[k], query[k], both);
    }
    both = warpSum(both);
    if ((threadIdx.x & 31) == 0) {
        float time = alpha[i] + d.timeBias[head];
        gates[i] = make_float4(expf(d.decay[head] * (time > 20.0f ? time : log1pf(expf(time)))), sigmoid(beta[i]), both, 0.0f);
    }
}

// Sizes must be multiples of four. gates: of the step's first row on. N: at least keySize / 32 rounded up.
template <int N>
__device__ __forceinline__ void scan(const Step* step, const Delta& d, int firstSegment, const float* channels, const float4* gates,
        float* out) {
    constexpr int KEYS = 32 * N;
    __shared__ __align__(16) Rows<N> rows;
    int lane = threadIdx.x & 31;
    int part = lane & 7;
    int inBlock = PER * (4 * (threadIdx.x >> 5) + (lane >> 3));
    int firstColumn = blockIdx.x * COLUMNS;
    int column = firstColumn + inBlock;
    int head = blockIdx.y;
    int segment = firstSegment + blockIdx.z;
    bool valid = column < d.valueSize;
    int keyHead = d.grouped ? head / (d.valueHeads / d.keyHeads) : head % d.keyHeads;
    int width = 2 * d.keyHeads * d.keySize + d.valueHeads * d.valueSize;
    long long stateBytes = d.stateOffset + 4LL * ((long long) head * d.keySize * d.valueSize + column);
    int row = step->firstRow[segment];
    int end = step->firstRow[segment + 1];
    size_t resultWidth = (size_t) d.valueHeads * d.valueSize;
    float* result = out + row * resultWidth + (size_t) head * d.valueSize + column;
    bool writes = valid && part == 0;

    // Sixteen threads for each row.
    int bringRow = threadIdx.x >> 4;
    int bringRun = threadIdx.x & 15;
    const float* source = channels + (size_t) (row + bringRow) * width;
    const float* keySource = source + (d.keyHeads + keyHead) * d.keySize;
    const float* querySource = source + keyHead * d.keySize;
    const float* valueSource = source + 2 * d.keyHeads * d.keySize + head * d.valueSize + firstColumn;
    auto bring = [&](int first, int stage) {
        if (first + bringRow < end) {
            size_t skip = (size_t) (first - step->firstRow[segment]) * width;
#pragma unroll
            for (int i = 0; i < (KEYS / 4 + 15) / 16; i++) {
                int element = 4 * (bringRun + 16 * i);
                if (element < KEYS) {
                    int bytes = element < d.keySize ? 16 : 0;
                    copy16(sharedAddress(&rows.keys[stage][bringRow][element]), keySource + skip + (bytes ? element : 0), bytes);
                    copy16(sharedAddress(&rows.queries[stage][bringRow][element]), querySource + skip + (bytes ? element : 0), bytes);
                }
            }
            int c = 4 * bringRun;
            if (c < COLUMNS && firstColumn + c < d.valueSize) {
                copy16(sharedAddress(&rows.values[stage][bringRow][c]), valueSource + skip + c);
            }
            if (bringRun == 15) {
                copy16(sharedAddress(&rows.gates[stage][bringRow]), gates + (size_t) (first + bringRow) * d.valueHeads + head);
            }
            if (bringRun == 14) {
                copy8(sharedAddress(&rows.planes[stage][bringRow]), step->planeOut + first + bringRow);
            }
        }
        commitCopies();
    };

    float state[PER][N][4];
    const float* before = (const float*) (step->planeIn[segment] + stateBytes);
#pragma unroll
    for (int m = 0; m < N; m++) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
            int i = 32 * m + 4 * part + e;
#pragma unroll
            for (int c = 0; c < PER; c++) {
                state[c][m][e] = valid && i < d.keySize ? before[(size_t) i * d.valueSize + c] : 0.0f;
            }
        }
    }
    auto take = [&](const Row<N>& now, Row<N>& next, int stage, int r) {
        float byKey[PER];
        float byQuery[PER];
#pragma unroll
        for (int c = 0; c < PER; c++) {
            byKey[c] = 0.0f;
            byQuery[c] = 0.0f;
        }
#pragma unroll
        for (int m = 0; m < N; m++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
#pragma unroll
                for (int c = 0; c < PER; c++) {
                    byKey[c] = fmaf(state[c][m][e], now.key[m][e], byKey[c]);
                    byQuery[c] = fmaf(state[c][m][e], now.query[m][e], byQuery[c]);
                }
            }
        }
#pragma unroll
        for (int mask = 1; mask < 8; mask <<= 1) {
#pragma unroll
            for (int c = 0; c < PER; c++) {
                byKey[c] += __shfl_xor_sync(0xffffffffu, byKey[c], mask);
                byQuery[c] += __shfl_xor_sync(0xffffffffu, byQuery[c], mask);
            }
        }
        // Behind the exchanges, which would wait for it.
        next.load(rows, stage, r + 1, part, inBlock);
        float u[PER];
#pragma unroll
        for (int c = 0; c < PER; c++) {
            u[c] = (now.value[c] - byKey[c] * now.decay) * now.rate;
#pragma unroll
            for (int m = 0; m < N; m++) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    state[c][m][e] = fmaf(state[c][m][e], now.decay, u[c] * now.key[m][e]);
                }
            }
        }
        if (writes) {
#pragma unroll
            for (int c = 0; c < PER; c++) {
                result[c] = fmaf(byQuery[c], now.decay, now.both * u[c]);
            }
        }
        result += resultWidth;
        if (now.plane && valid) {
            float* kept = (float*) (now.plane + stateBytes);
#pragma unroll
            for (int m = 0; m < N; m++) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    int i = 32 * m + 4 * part + e;
                    if (i < d.keySize) {
#pragma unroll
                        for (int c = 0; c < PER; c++) {
                            kept[(size_t) i * d.valueSize + c] = state[c][m][e];
                        }
                    }
                }
            }
        }
    };

    bring(row, 0);
    bring(row + ROWS, 1);
    for (int stage = 0; row < end; stage = stage + 1 == STAGES ? 0 : stage + 1) {
        awaitCopies<1>();
        __syncthreads();
        bring(row + 2 * ROWS, stage == 0 ? 2 : stage - 1);
        int count = min(ROWS, end - row);
        Row<N> even;
        Row<N> odd;
        even.load(rows, stage, 0, part, inBlock);
        for (int r = 0; r < count; r += 2) {
            take(even, odd, stage, r);
            if (r + 1 < count) {
                take(odd, even, stage, r + 1);
            }
        }
        row += count;
    }
}

#define SCAN(N)                                                                                                                            \
    extern "C" __global__ void __launch_bounds__(THREADS) delta_scan_##N(const Step* step, const __grid_constant__ Delta d,                 \
            int firstSegment, const float* channels, const float4* gates, float* out) {                                                   \
        scan<N>(step, d, firstSegment, channels, gates, out);                                                                              \
    }

SCAN(2)
SCAN(4)
