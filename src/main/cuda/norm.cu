// RMS norm, addition, the gather of rows whose logits are wanted, and what lies between the products of hyper-connections and SwiGLU.

#include "common.cuh"

// One block for each run of `width` elements. Works in place.
extern "C" __global__ void rms_norm(const float* x, const float* weight, int groups, int width, float epsilon, float* out) {
    __shared__ float partial[32];
    size_t offset = (size_t) blockIdx.x * width;
    const float* w = weight + (size_t) (blockIdx.x % groups) * width;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        float v = x[offset + i];
        sum = fmaf(v, v, sum);
    }
    float scale = inverseRms(blockSum(sum, partial), width, epsilon);
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        out[offset + i] = x[offset + i] * scale * w[i];
    }
}

extern "C" __global__ void add(float* x, const float* y, long long elements) {
    for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += (long long) gridDim.x * blockDim.x) {
        x[i] += y[i];
    }
}

extern "C" __global__ void gather_logit_rows(const Step* step, const float* x, int width, float* out) {
    const float* source = x + (size_t) step->logitRows[blockIdx.x] * width;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        out[(size_t) blockIdx.x * width + i] = source[i];
    }
}

// gate = silu(gate) . up, for gates and ups of different types.
extern "C" __global__ void swiglu(float* gate, const float* up, long long elements) {
    for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += (long long) gridDim.x * blockDim.x) {
        gate[i] = silu(gate[i]) * up[i];
    }
}

// low = silu(low / count), and inject = 2 sigmoid(inject / count) where there is one. One block for each row.
extern "C" __global__ void hyper_activate(float* low, int rank, float* inject, int count) {
    float share = 1.0f / (float) count;
    float* x = low + (size_t) blockIdx.x * rank;
    for (int i = threadIdx.x; i < rank; i += blockDim.x) {
        x[i] = silu(x[i] * share);
    }
    if (inject) {
        float* v = inject + (size_t) blockIdx.x * count;
        for (int c = threadIdx.x; c < count; c += blockDim.x) {
            v[c] = 2.0f * sigmoid(v[c] * share);
        }
    }
}

// out = mean over streams of sigmoid(gate) . normed. Rows in y, columns in x.
extern "C" __global__ void hyper_mix(const float* gates, const float* normed, int count, int width, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width) {
        return;
    }
    size_t row = blockIdx.y;
    float sum = 0.0f;
    for (int c = 0; c < count; c++) {
        size_t at = (row * count + c) * width + i;
        sum = fmaf(sigmoid(gates[at]), normed[at], sum);
    }
    out[row * width + i] = sum * (1.0f / (float) count);
}

// streams_c += inject_c * delta. Rows in y, columns in x.
extern "C" __global__ void hyper_add(float* streams, const float* delta, const float* inject, int count, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width) {
        return;
    }
    size_t row = blockIdx.y;
    float d = delta[row * width + i];
    for (int c = 0; c < count; c++) {
        size_t at = (row * count + c) * width + i;
        streams[at] = fmaf(d, inject[row * count + c], streams[at]);
    }
}
