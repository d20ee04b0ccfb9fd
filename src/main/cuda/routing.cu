// The router's choice and the weighted sum of what experts gave.

#include "common.cuh"

// The best `choices` of a row's logits in order, ties to the lowest id, and softmax weights over them. One warp for each row; dynamic
// shared memory of `experts` floats and `choices` ints. A NaN is in no order: such a row gets the choice of a row with -infinity there and NaN weights.
extern "C" __global__ void route(const int* stop, const float* logits, int experts, int choices, float scale, int* ids, float* weights) {
    STOP(stop)
    extern __shared__ float left[];
    int* taken = (int*) (left + experts);
    int lane = threadIdx.x;
    const float* row = logits + (size_t) blockIdx.x * experts;
    int* chosen = ids + (size_t) blockIdx.x * choices;
    float* weight = weights + (size_t) blockIdx.x * choices;
    bool nan = false;
    for (int i = lane; i < experts; i += 32) {
        float v = row[i];
        nan |= isnan(v);
        left[i] = isnan(v) ? -INFINITY : v;
    }
    nan = __any_sync(0xffffffffu, nan);
    __syncwarp();
    // An expert that is taken becomes NaN, which no comparison prefers.
    float greatest = 0.0f;
    float total = 0.0f;
    for (int j = 0; j < choices; j++) {
        float best = -INFINITY;
        int id = experts;
        for (int i = lane; i < experts; i += 32) {
            float v = left[i];
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
            left[id] = NAN;
            taken[j] = id;
        }
        __syncwarp();
    }
    // The table lies in host memory: each lane writes its own choices, nothing is read back.
    for (int j = lane; j < choices; j += 32) {
        chosen[j] = taken[j];
        weight[j] = expf(row[taken[j]] - greatest) / total * scale;
    }
}

// out = sum of weight_j * y_j in router order, then + share * shared; or out += that. One block for each row and run of columns.
extern "C" __global__ void combine(const int* stop, const float* y, const float* weights, int choices, int width, const float* shared, const float* sharedGate,
        const float* x, float* out, int added) {
    STOP(stop)
    __shared__ float partial[32];
    extern __shared__ float weight[];
    size_t row = blockIdx.y;
    for (int j = threadIdx.x; j < choices; j += blockDim.x) {
        weight[j] = weights[row * choices + j];
    }
    float share = 1.0f;
    if (shared && sharedGate) {
        float sum = 0.0f;
        for (int i = threadIdx.x; i < width; i += blockDim.x) {
            sum = fmaf(sharedGate[i], x[row * width + i], sum);
        }
        share = sigmoid(blockSum(sum, partial));
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width) {
        return;
    }
    float sum = 0.0f;
    for (int j = 0; j < choices; j++) {
        sum = fmaf(y[(row * choices + j) * width + i], weight[j], sum);
    }
    if (shared) {
        sum = fmaf(shared[row * width + i], share, sum);
    }
    float* target = out + row * width + i;
    *target = added ? *target + sum : sum;
}
