// Steps that run on without the host: the router looks its experts up in a table of slots and stops the step where one is missing.

#include "fast.cuh"

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
// stops: the host reads layer + 1 in `stopped`. A logit has the bits of product_1x1. Without weights the logits are there already.
//
// With `norm` the rows are normed first, with the bits of rms_norm: `hidden` gets them, and `parts` as in fast.cuh where it is set.
//
// With `sharedSlot` there is one more expert, numbered `experts`, that every row goes to behind those it chose: with the weight sigmoid(sharedGate . x), as
// combine has it, or 1. It has no place in the log.
//
// Dynamic shared memory: a row with four floats of padding for each sixteen; in the last block also twice `experts` words for each row of the
// first ROUTER_WARPS, and for each pair an expert, a group, and the first of its expert.
struct Router {
    const float* weights;
    const float* x;
    float* logits;
    unsigned* ticket;
    const float* norm;
    float* hidden;
    uint8_t* parts;
    int rows, columns, experts, choices;
    float scale, epsilon;
    u64 sharedSlot;
    const float* sharedGate;

    // Pairs of a row.
    __device__ __forceinline__ int each() const {
        return choices + (sharedSlot ? 1 : 0);
    }
};

static constexpr int ROUTER_WARPS = NORM_THREADS / 32;
static constexpr int UNITS = 4;
static constexpr int MOST_NORMED = 8;

// Where element i of a row lies in shared memory, so that lanes with sixteen elements each meet no bank twice.
__device__ __forceinline__ int padded(int i) {
    return i + (i >> 4) * 4;
}

__device__ __forceinline__ float dotUnit(const float4* w, const float* v, float sum) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float4 a = w[i];
        float4 b = *(const float4*) (v + 4 * i);
        sum = fmaf(a.x, b.x, sum);
        sum = fmaf(a.y, b.y, sum);
        sum = fmaf(a.z, b.z, sum);
        sum = fmaf(a.w, b.w, sum);
    }
    return sum;
}

// The weight of the shared expert for a row, by the whole block; `row` as in shared memory, or as it is.
__device__ __forceinline__ void shareOf(const Router& r, int at, const float* row, bool isPadded, float* partial, const Routed& out) {
    float share = 1.0f;
    if (r.sharedGate) {
        float sum = 0.0f;
        for (int i = threadIdx.x; i < r.columns; i += NORM_THREADS) {
            sum = fmaf(__ldg(r.sharedGate + i), row[isPadded ? padded(i) : i], sum);
        }
        share = sigmoid(blockSum(sum, partial));
    }
    if (threadIdx.x == 0) {
        out.weights[at * r.each() + r.choices] = share;
    }
}

// Waits for the kernels in front; says whether the step goes on.
__device__ __forceinline__ bool routerLogits(const int* stop, const Router& r, float* row, const Routed& out) {
    __shared__ float partial[ROUTER_WARPS];
    int lane = threadIdx.x & 31;
    int expert = blockIdx.x * ROUTER_WARPS + (threadIdx.x >> 5);
    bool valid = expert < r.experts;
    const float* weights = r.weights + (size_t) (valid ? expert : 0) * r.columns;
    bool whole = r.columns % 16 == 0;
    int units = whole ? r.columns / 16 : 0;
    // What never changes is asked for while the kernels in front are running.
    float4 held[UNITS][4];
    float factor[MOST_NORMED];
#pragma unroll
    for (int j = 0; j < UNITS; j++) {
        int u = lane + 32 * j;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            held[j][i] = u < units ? __ldg((const float4*) weights + 4 * u + i) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
    }
#pragma unroll
    for (int k = 0; k < MOST_NORMED; k++) {
        int i = threadIdx.x + k * NORM_THREADS;
        factor[k] = r.norm && i < r.columns ? __ldg(r.norm + i) : 0.0f;
    }
    bool shares = r.sharedSlot && (int) blockIdx.x < r.rows;
    if (shares && r.sharedGate) {
        for (int i = 32 * threadIdx.x; i < r.columns; i += 32 * NORM_THREADS) {
            asm volatile("prefetch.global.L2 [%0];" ::"l"(r.sharedGate + i));
        }
    }
    dependentWait();
    int mark = stop ? *stop : 0;
    for (int at = 0; at < r.rows; at++) {
        const float* x = r.x + (size_t) at * r.columns;
        float kept[MOST_NORMED];
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < MOST_NORMED; k++) {
            int i = threadIdx.x + k * NORM_THREADS;
            kept[k] = i < r.columns ? x[i] : 0.0f;
        }
        if (mark) {
            return false;
        }
        float scale = 1.0f;
        if (r.norm) {
#pragma unroll
            for (int k = 0; k < MOST_NORMED; k++) {
                sum = fmaf(kept[k], kept[k], sum);
            }
            for (int i = threadIdx.x + MOST_NORMED * NORM_THREADS; i < r.columns; i += NORM_THREADS) {
                float v = x[i];
                sum = fmaf(v, v, sum);
            }
            scale = inverseRms(blockSum(sum, partial), r.columns, r.epsilon);
        }
#pragma unroll
        for (int k = 0; k < MOST_NORMED; k++) {
            int i = threadIdx.x + k * NORM_THREADS;
            if (i < r.columns) {
                float v = r.norm ? kept[k] * scale * factor[k] : kept[k];
                row[padded(i)] = v;
                // Each run of columns is written by one of the blocks.
                if (r.norm && k % gridDim.x == blockIdx.x) {
                    r.hidden[(size_t) at * r.columns + i] = v;
                    if (r.parts) {
                        storeGroup(r.parts, r.columns / 32, r.rows, at, i / 32, v);
                    }
                }
            }
        }
        for (int i = threadIdx.x + MOST_NORMED * NORM_THREADS; i < r.columns; i += NORM_THREADS) {
            float v = r.norm ? x[i] * scale * __ldg(r.norm + i) : x[i];
            row[padded(i)] = v;
            if (r.norm && blockIdx.x == 0) {
                r.hidden[(size_t) at * r.columns + i] = v;
                if (r.parts) {
                    storeGroup(r.parts, r.columns / 32, r.rows, at, i / 32, v);
                }
            }
        }
        __syncthreads();
        float logit = 0.0f;
        if (whole) {
#pragma unroll
            for (int j = 0; j < UNITS; j++) {
                int u = lane + 32 * j;
                if (u < units) {
                    logit = dotUnit(held[j], row + 20 * u, logit);
                }
            }
            for (int u = lane + 32 * UNITS; u < units; u += 32) {
                float4 w[4];
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    w[i] = __ldg((const float4*) weights + 4 * u + i);
                }
                logit = dotUnit(w, row + 20 * u, logit);
            }
        } else {
            for (int i = lane; i < r.columns; i += 32) {
                logit = fmaf(__ldg(weights + i), row[padded(i)], logit);
            }
        }
        logit = warpSum(logit);
        if (lane == 0 && valid) {
            r.logits[(size_t) at * r.experts + expert] = logit;
        }
        if (shares && at % gridDim.x == blockIdx.x) {
            shareOf(r, at, row, true, partial, out);
        }
        __syncthreads();
    }
    return true;
}

// Whether this is the block that ends last; what all have written before is visible to it then.
__device__ __forceinline__ bool lastBlock(unsigned* ticket) {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

// Floats in the order of unsigned integers, 0 below all of them; both zeros are one.
__device__ __forceinline__ uint32_t ordered(float v) {
    uint32_t bits = __float_as_uint(v + 0.0f);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}


static constexpr int HELD = 16;

// The best `choices` of a row's logits, at most 32, as `route` has them, by one warp that holds them in registers. No expert below the least of the
// greatest of so many lanes can be among them; those that are left are few, and ranked against each other. `left` holds two words for each expert.
__device__ __forceinline__ void chooseHeld(const Router& r, int row, uint32_t* left, int* chosen, const Routed& out) {
    int lane = threadIdx.x & 31;
    const float* scores = r.logits + (size_t) row * r.experts;
    uint32_t* keys = left;
    int* ids = (int*) (left + r.experts);
    int* taken = chosen + row * r.each();
    uint32_t mine[HELD];
    uint32_t most = 0;
    bool nan = false;
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        int i = lane + 32 * k;
        float v = i < r.experts ? __ldcg(scores + i) : 0.0f;
        nan |= isnan(v);
        mine[k] = i < r.experts ? ordered(isnan(v) ? -INFINITY : v) : 0;
        most = max(most, mine[k]);
    }
    nan = __any_sync(0xffffffffu, nan);
    int rank = 0;
#pragma unroll
    for (int other = 0; other < 32; other++) {
        uint32_t v = __shfl_sync(0xffffffffu, most, other);
        rank += v > most || (v == most && other < lane);
    }
    uint32_t least = max(1u, __reduce_min_sync(0xffffffffu, rank < r.choices ? most : 0xffffffffu));
    int candidates = 0;
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        if (32 * k < r.experts) {
            bool kept = mine[k] >= least;
            unsigned set = __ballot_sync(0xffffffffu, kept);
            if (kept) {
                int at = candidates + __popc(set & ((1u << lane) - 1));
                keys[at] = mine[k];
                ids[at] = lane + 32 * k;
            }
            candidates += __popc(set);
        }
    }
    __syncwarp();
    // Candidates stand in the order of their ids.
    for (int c = lane; c < candidates; c += 32) {
        uint32_t key = keys[c];
        int place = 0;
        for (int other = 0; other < candidates; other++) {
            place += keys[other] > key || (keys[other] == key && other < c);
        }
        if (place < r.choices) {
            taken[place] = ids[c];
        }
    }
    __syncwarp();
    float v = lane < r.choices ? __ldcg(scores + taken[lane]) : 0.0f;
    float greatest = nan ? NAN : __shfl_sync(0xffffffffu, v, 0);
    float power = expf(v - greatest);
    float total = 0.0f;
    for (int j = 0; j < r.choices; j++) {
        total += __shfl_sync(0xffffffffu, power, j);
    }
    if (lane < r.choices) {
        int pair = row * r.choices + lane;
        float weight = power / total * r.scale;
        out.weights[row * r.each() + lane] = weight;
        out.logWeights[pair] = weight;
        out.logExperts[pair] = taken[lane];
    }
    __syncwarp();
}

// The best `choices` of a row's logits, as `route` has them, by one warp, for more experts than it can hold.
__device__ __forceinline__ void chooseRow(const Router& r, int row, float* left, int* chosen, const Routed& out) {
    int lane = threadIdx.x & 31;
    int experts = r.experts;
    int choices = r.choices;
    const float* scores = r.logits + (size_t) row * experts;
    float* mine = left;
    int* taken = chosen + row * r.each();
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
        out.weights[row * r.each() + j] = weight;
        out.logWeights[pair] = weight;
        out.logExperts[pair] = taken[j];
    }
}

__device__ __forceinline__ u64 slotOf(const Router& r, const u64* table, int expert) {
    return expert == r.experts ? r.sharedSlot : table[expert];
}

extern "C" __global__ void __launch_bounds__(32 * ROUTER_WARPS, 2) route_resident(int* stop, const __grid_constant__ Router r, const u64* table, int layer,
        const __grid_constant__ Routed out, int* stopped) {
    extern __shared__ __align__(16) float shared[];
    __shared__ int absent;
    dependentStart();
    // The table changes between steps only.
    for (int i = 16 * (blockIdx.x * blockDim.x + threadIdx.x); i < r.experts; i += 16 * gridDim.x * blockDim.x) {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(table + i));
    }
    if (r.weights) {
        if (!routerLogits(stop, r, shared, out) || !lastBlock(r.ticket)) {
            return;
        }
    } else {
        __shared__ float partial[ROUTER_WARPS];
        dependentWait();
        STOPPED(stop)
        for (int row = 0; r.sharedSlot && row < r.rows; row++) {
            shareOf(r, row, r.x + (size_t) row * r.columns, false, partial, out);
        }
    }
    int rows = r.rows;
    int experts = r.experts;
    int choices = r.each();
    uint32_t* left = (uint32_t*) shared;
    int* chosen = (int*) (left + 2 * min(rows, ROUTER_WARPS) * experts);
    uint32_t* own = left + 2 * (threadIdx.x >> 5) * experts;
    int count = rows * choices;
    int* group = chosen + count;
    int* leads = group + count;
    if (threadIdx.x == 0) {
        absent = 0;
    }
    if (r.sharedSlot) {
        for (int row = threadIdx.x; row < rows; row += blockDim.x) {
            chosen[row * choices + r.choices] = experts;
        }
    }
    for (int row = threadIdx.x >> 5; row < rows; row += blockDim.x >> 5) {
        if (experts <= 32 * HELD && r.choices <= 32) {
            chooseHeld(r, row, own, chosen, out);
        } else {
            chooseRow(r, row, (float*) own, chosen, out);
        }
    }
    __syncthreads();
    if (rows == 1) {
        // Every pair is a group, since a row names an expert once.
        for (int p = threadIdx.x; p <= count; p += blockDim.x) {
            out.firstPair[p] = p;
            if (p < count) {
                u64 slot = slotOf(r, table, chosen[p]);
                out.pairs[p] = p;
                out.expert[p] = chosen[p];
                out.slots[p] = slot;
                if (slot == 0) {
                    absent = 1;
                }
            }
        }
    } else {
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
            if (slotOf(r, table, chosen[p]) == 0) {
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
                out.slots[group[p]] = slotOf(r, table, chosen[p]);
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
    }
    __syncthreads();
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
