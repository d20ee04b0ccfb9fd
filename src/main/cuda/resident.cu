// Steps that run on without the host: the router looks its experts up in a table of slots and stops the step where one is missing.

#include "common.cuh"

// What the router leaves for the experts: groups of pairs by expert as ExpertWave has them, filled up with empty ones.
struct Routed {
    float* weights;
    u64* slots;
    int* expert;
    int* firstPair;
    int* pairs;
    int* logExperts;
    float* logWeights;
};

// A router of float weights, and what follows from it: logits x . W by many blocks, and then in the block that ends last the choice of `route`
// for each row; choices and weights go to the log, pairs are grouped by expert, and when a chosen expert has no slot the step
// stops: the host reads layer + 1 in `stopped`. A logit has the bits of product_1x1.
// Dynamic shared memory of the last block: for each row `experts` floats; for each pair an expert, a group, and the first of its expert.
struct Router {
    const float* weights;
    const float* x;
    float* logits;
    unsigned* ticket;
    int rows, columns, experts, choices;
    float scale;
};

static constexpr int ROUTER_WARPS = 8;

__device__ __forceinline__ void routerLogits(const Router& r) {
    int lane = threadIdx.x & 31;
    int expert = blockIdx.x * ROUTER_WARPS + (threadIdx.x >> 5);
    if (expert >= r.experts) {
        return;
    }
    const float* row = r.weights + (size_t) expert * r.columns;
    for (int at = 0; at < r.rows; at++) {
        const float* x = r.x + (size_t) at * r.columns;
        float sum = 0.0f;
        if (r.columns % 16 == 0) {
#pragma unroll 4
            for (int u = lane; u < r.columns / 16; u += 32) {
                const float4* w = (const float4*) row + 4 * u;
                const float4* v = (const float4*) x + 4 * u;
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    float4 a = __ldg(w + i);
                    float4 b = v[i];
                    sum = fmaf(a.x, b.x, sum);
                    sum = fmaf(a.y, b.y, sum);
                    sum = fmaf(a.z, b.z, sum);
                    sum = fmaf(a.w, b.w, sum);
                }
            }
        } else {
            for (int i = lane; i < r.columns; i += 32) {
                sum = fmaf(row[i], x[i], sum);
            }
        }
        sum = warpSum(sum);
        if (lane == 0) {
            r.logits[(size_t) at * r.experts + expert] = sum;
        }
    }
}

// Whether this is the block that ends last; the logits of all are visible to it then.
__device__ __forceinline__ bool lastBlock(unsigned* ticket) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        if (last) {
            *ticket = 0;
        }
    }
    __syncthreads();
    __threadfence();
    return last;
}

static constexpr int HELD = 16;

// Floats in the order of unsigned integers, 0 below all of them; both zeros are one.
__device__ __forceinline__ uint32_t ordered(float v) {
    uint32_t bits = __float_as_uint(v + 0.0f);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ __forceinline__ float unordered(uint32_t key) {
    return __uint_as_float(key & 0x80000000u ? key ^ 0x80000000u : ~key);
}

// The best `choices` of a row's logits, as `route` has them, by one warp that holds them in registers.
__device__ __forceinline__ void chooseHeld(const Router& r, int row, int* chosen, const Routed& out) {
    int lane = threadIdx.x & 31;
    const float* scores = r.logits + (size_t) row * r.experts;
    int* taken = chosen + row * r.choices;
    uint32_t keys[HELD];
    bool nan = false;
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        int i = lane + 32 * k;
        float v = i < r.experts ? __ldcg(scores + i) : 0.0f;
        nan |= isnan(v);
        keys[k] = i < r.experts ? ordered(isnan(v) ? -INFINITY : v) : 0;
    }
    nan = __any_sync(0xffffffffu, nan);
    float greatest = 0.0f;
    float total = 0.0f;
    for (int j = 0; j < r.choices; j++) {
        uint32_t best = 0;
        int id = 0x7fffffff;
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            if (keys[k] > best) {
                best = keys[k];
                id = lane + 32 * k;
            }
        }
        uint32_t most = __reduce_max_sync(0xffffffffu, best);
        id = (int) __reduce_min_sync(0xffffffffu, (unsigned) (best == most ? id : 0x7fffffff));
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            if (id == lane + 32 * k) {
                keys[k] = 0;
            }
        }
        float value = unordered(most);
        greatest = j == 0 ? (nan ? NAN : value) : greatest;
        total += expf(value - greatest);
        if (lane == 0) {
            taken[j] = id;
        }
    }
    __syncwarp();
    for (int j = lane; j < r.choices; j += 32) {
        int pair = row * r.choices + j;
        float weight = expf(__ldcg(scores + taken[j]) - greatest) / total * r.scale;
        out.weights[pair] = weight;
        out.logWeights[pair] = weight;
        out.logExperts[pair] = taken[j];
    }
}

// The best `choices` of a row's logits, as `route` has them, by one warp, for more experts than it can hold.
__device__ __forceinline__ void chooseRow(const Router& r, int row, float* left, int* chosen, const Routed& out) {
    int lane = threadIdx.x & 31;
    int experts = r.experts;
    int choices = r.choices;
    const float* scores = r.logits + (size_t) row * experts;
    float* mine = left + row * experts;
    int* taken = chosen + row * choices;
    bool nan = false;
    for (int i = lane; i < experts; i += 32) {
        float v = __ldcg(scores + i);
        nan |= isnan(v);
        mine[i] = isnan(v) ? -INFINITY : v;
    }
    nan = __any_sync(0xffffffffu, nan);
    __syncwarp();
    float greatest = 0.0f;
    float total = 0.0f;
    for (int j = 0; j < choices; j++) {
        float best = -INFINITY;
        int id = experts;
#pragma unroll 4
        for (int i = lane; i < experts; i += 32) {
            float v = mine[i];
            if (v > best || (v == best && i < id)) {
                best = v;
                id = i;
            }
        }
#pragma unroll
        for (int mask = 16; mask > 0; mask >>= 1) {
            float v = __shfl_xor_sync(0xffffffffu, best, mask);
            int other = __shfl_xor_sync(0xffffffffu, id, mask);
            if (v > best || (v == best && other < id)) {
                best = v;
                id = other;
            }
        }
        greatest = j == 0 ? (nan ? NAN : best) : greatest;
        total += expf(best - greatest);
        if (lane == 0) {
            mine[id] = NAN;
            taken[j] = id;
        }
        __syncwarp();
    }
    for (int j = lane; j < choices; j += 32) {
        int pair = row * choices + j;
        float weight = expf(__ldcg(scores + taken[j]) - greatest) / total * r.scale;
        out.weights[pair] = weight;
        out.logWeights[pair] = weight;
        out.logExperts[pair] = taken[j];
    }
}

extern "C" __global__ void __launch_bounds__(32 * ROUTER_WARPS) route_resident(int* stop, const __grid_constant__ Router r, const u64* table, int layer,
        const __grid_constant__ Routed out, int* stopped) {
    STOP(stop)
    extern __shared__ float left[];
    __shared__ int absent;
    if (r.weights) {
        routerLogits(r);
        if (!lastBlock(r.ticket)) {
            return;
        }
    }
    int rows = r.rows;
    int experts = r.experts;
    int choices = r.choices;
    int* chosen = (int*) (left + rows * experts);
    int count = rows * choices;
    int* group = chosen + count;
    int* leads = group + count;
    if (threadIdx.x == 0) {
        absent = 0;
    }
    for (int row = threadIdx.x >> 5; row < rows; row += blockDim.x >> 5) {
        if (experts <= 32 * HELD) {
            chooseHeld(r, row, chosen, out);
        } else {
            chooseRow(r, row, left, chosen, out);
        }
    }
    __syncthreads();
    // Groups in the order of their first pairs.
    for (int p = threadIdx.x; p < count; p += blockDim.x) {
        int first = p;
        for (int q = 0; q < p; q++) {
            if (chosen[q] == chosen[p]) {
                first = q;
                break;
            }
        }
        leads[p] = first;
        if (table[chosen[p]] == 0) {
            absent = 1;
        }
    }
    __syncthreads();
    for (int p = threadIdx.x; p < count; p += blockDim.x) {
        int before = 0;
        for (int q = 0; q < leads[p]; q++) {
            before += leads[q] == q;
        }
        group[p] = before;
    }
    __syncthreads();
    for (int p = threadIdx.x; p < count; p += blockDim.x) {
        int at = 0;
        int begin = 0;
        int groups = 0;
        for (int q = 0; q < count; q++) {
            begin += group[q] < group[p];
            at += group[q] == group[p] && q < p;
            groups += leads[q] == q;
        }
        out.pairs[begin + at] = p;
        if (leads[p] == p) {
            out.expert[group[p]] = chosen[p];
            out.slots[group[p]] = table[chosen[p]];
            out.firstPair[group[p]] = begin;
        }
        // Every group behind the last is empty.
        if (p >= groups) {
            out.firstPair[p] = count;
        }
        if (p == 0) {
            out.firstPair[count] = count;
        }
    }
    if (threadIdx.x == 0 && absent) {
        *stopped = layer + 1;
        *stop = 1;
    }
}

// Writes changed addresses to the table of slots.
extern "C" __global__ void place_slots(const int* cells, const u64* addresses, int count, u64* table) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        table[cells[i]] = addresses[i];
    }
}
