// RMS norm, addition, the gather of rows whose logits are wanted, and what lies between the products of hyper-connections and SwiGLU.

#include "fast.cuh"

static constexpr int HELD = 8;

// One block for each run of `width` elements. Works in place. Of runs that are rows, `parts` gets the results as in fast.cuh where it is set, in whole groups.
extern "C" __global__ void __launch_bounds__(NORM_THREADS) rms_norm(const int* stop, const float* x, const float* weight, int groups, int width, float epsilon,
        float* out, uint8_t* parts, int rows) {
    __shared__ float partial[NORM_THREADS / 32];
    dependentStart();
    size_t offset = (size_t) blockIdx.x * width;
    const float* w = weight + (size_t) (blockIdx.x % groups) * width;
    // All loads on their way at once, where a thread has few elements.
    float kept[HELD];
    float factor[HELD];
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        int i = threadIdx.x + k * NORM_THREADS;
        factor[k] = i < width ? __ldg(w + i) : 0.0f;
    }
    dependentWait();
    int mark = stop ? *stop : 0;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        int i = threadIdx.x + k * NORM_THREADS;
        kept[k] = i < width ? x[offset + i] : 0.0f;
    }
    if (mark) {
        return;
    }
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        sum = fmaf(kept[k], kept[k], sum);
    }
    for (int i = threadIdx.x + HELD * NORM_THREADS; i < width; i += NORM_THREADS) {
        float v = x[offset + i];
        sum = fmaf(v, v, sum);
    }
    float scale = inverseRms(blockSum(sum, partial), width, epsilon);
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        int i = threadIdx.x + k * NORM_THREADS;
        if (i < width) {
            float v = kept[k] * scale * factor[k];
            out[offset + i] = v;
            if (parts) {
                storeGroup(parts, width / 32, rows, blockIdx.x, i / 32, v);
            }
        }
    }
    for (int i = threadIdx.x + HELD * NORM_THREADS; i < width; i += NORM_THREADS) {
        float v = x[offset + i] * scale * w[i];
        out[offset + i] = v;
        if (parts) {
            storeGroup(parts, width / 32, rows, blockIdx.x, i / 32, v);
        }
    }
}

extern "C" __global__ void add(const int* stop, float* x, const float* y, long long elements) {
    STOP(stop)
    for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += (long long) gridDim.x * blockDim.x) {
        x[i] += y[i];
    }
}

extern "C" __global__ void gather_logit_rows(const int* stop, const Step* step, const float* x, int width, float* out) {
    STOP(stop)
    const float* source = x + (size_t) step->logitRows[blockIdx.x] * width;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        out[(size_t) blockIdx.x * width + i] = source[i];
    }
}

// gate = silu(gate) . up, for gates and ups of different types.
extern "C" __global__ void swiglu(const int* stop, float* gate, const float* up, long long elements) {
    STOP(stop)
    for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += (long long) gridDim.x * blockDim.x) {
        gate[i] = silu(gate[i]) * up[i];
    }
}

// low = silu(low / count), and inject = 2 sigmoid(inject / count) where there is one. One block for each row.
extern "C" __global__ void hyper_activate(const int* stop, float* low, int rank, float* inject, int count) {
    STOP(stop)
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
extern "C" __global__ void hyper_mix(const int* stop, const float* gates, const float* normed, int count, int width, float* out) {
    STOP(stop)
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
extern "C" __global__ void hyper_add(const int* stop, float* streams, const float* delta, const float* inject, int count, int width) {
    STOP(stop)
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

// Rows as in fast.cuh. Rows in y, columns in x.
extern "C" __global__ void split_rows(const int* stop, const float* x, int columns, uint8_t* parts) {
    STOP(stop)
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < columns) {
        storeGroup(parts, columns / 32, gridDim.y, blockIdx.y, i / 32, x[(size_t) blockIdx.y * columns + i]);
    }
}
