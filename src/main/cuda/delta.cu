// Gated DeltaNet behind its projections.

#include "fast.cuh"
#include "recurrent.cuh"

// Convolution and silu of one head's channels of a row, then the l2 norm of query and key heads. Heads in x: query, key, value heads.
extern "C" __global__ void delta_convolve(const int* stop, const Step* step, const __grid_constant__ Convolution c, const __grid_constant__ Delta d, const float* qkv,
        float* out) {
    STOP(stop)
    __shared__ float partial[32];
    int head = blockIdx.x;
    int row = blockIdx.y;
    int keyRuns = 2 * d.keyHeads;
    bool isKey = head < keyRuns;
    int size = isKey ? d.keySize : d.valueSize;
    int channel = isKey ? head * d.keySize : keyRuns * d.keySize + (head - keyRuns) * d.valueSize;
    float* target = out + (size_t) row * c.channels + channel;
    float squares = 0.0f;
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        float v = convolved(step, c, qkv, row, channel + i);
        keepHistory(step, c, qkv, row, channel + i);
        target[i] = v;
        squares = fmaf(v, v, squares);
    }
    if (isKey) {
        float factor = head < d.keyHeads ? 1.0f / sqrtf((float) d.keySize) : 1.0f;
        float scale = factor / sqrtf(blockSum(squares, partial) + 1e-6f);
        for (int i = threadIdx.x; i < size; i += blockDim.x) {
            target[i] *= scale;
        }
    }
}

static constexpr int COLUMNS = 32;
static constexpr int PARTS = 8;

// Sum over the warps of a block for each column, in ascending order.
__device__ __forceinline__ float columnSum(float v, float (*partial)[COLUMNS]) {
    int lane = threadIdx.x & 31;
    partial[threadIdx.x >> 5][lane] = v;
    __syncthreads();
    float sum = partial[0][lane];
#pragma unroll
    for (int p = 1; p < PARTS; p++) {
        sum += partial[p][lane];
    }
    return sum;
}

// S' = decay S + k u^T with u = rate (v - decay S^T k), o = S'^T q, row after row of a segment. A block holds COLUMNS columns of one head's
// state in registers: lane = column, warp w holds key elements w, w + PARTS, ... (at most N). Dynamic shared memory: a key and a query.
template <int N>
__device__ __forceinline__ void recur(const Step* step, const Delta& d, const float* channels, const float* alpha, const float* beta, float* out) {
    extern __shared__ float vectors[];
    __shared__ float partial[2][PARTS][COLUMNS];
    float* keys = vectors;
    float* queries = vectors + d.keySize;
    int part = threadIdx.x >> 5;
    int column = blockIdx.x * COLUMNS + (threadIdx.x & 31);
    int head = blockIdx.y;
    int segment = blockIdx.z;
    bool valid = column < d.valueSize;
    int keyHead = d.grouped ? head / (d.valueHeads / d.keyHeads) : head % d.keyHeads;
    int width = 2 * d.keyHeads * d.keySize + d.valueHeads * d.valueSize;
    long long stateBytes = d.stateOffset + 4LL * ((long long) head * d.keySize * d.valueSize + column);
    const float* before = (const float*) (step->planeIn[segment] + stateBytes);
    float state[N];
#pragma unroll
    for (int j = 0; j < N; j++) {
        int i = part + PARTS * j;
        state[j] = valid && i < d.keySize ? before[(size_t) i * d.valueSize] : 0.0f;
    }
    float bias = d.timeBias[head];
    float rateOfDecay = d.decay[head];
    int end = step->firstRow[segment + 1];
    for (int row = step->firstRow[segment]; row < end; row++) {
        const float* source = channels + (size_t) row * width;
        __syncthreads();
        for (int i = threadIdx.x; i < d.keySize; i += blockDim.x) {
            queries[i] = source[keyHead * d.keySize + i];
            keys[i] = source[(d.keyHeads + keyHead) * d.keySize + i];
        }
        float time = alpha[(size_t) row * d.valueHeads + head] + bias;
        float decay = expf(rateOfDecay * (time > 20.0f ? time : log1pf(expf(time))));
        float rate = sigmoid(beta[(size_t) row * d.valueHeads + head]);
        float value = valid ? source[2 * d.keyHeads * d.keySize + head * d.valueSize + column] : 0.0f;
        __syncthreads();
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < N; j++) {
            int i = part + PARTS * j;
            sum = i < d.keySize ? fmaf(state[j], keys[i], sum) : sum;
        }
        float u = (value - columnSum(sum, partial[0]) * decay) * rate;
        float result = 0.0f;
#pragma unroll
        for (int j = 0; j < N; j++) {
            int i = part + PARTS * j;
            if (i < d.keySize) {
                state[j] = fmaf(state[j], decay, u * keys[i]);
                result = fmaf(state[j], queries[i], result);
            }
        }
        result = columnSum(result, partial[1]);
        if (valid && part == 0) {
            out[((size_t) row * d.valueHeads + head) * d.valueSize + column] = result;
        }
        u64 plane = step->planeOut[row];
        if (plane && valid) {
            float* kept = (float*) (plane + stateBytes);
#pragma unroll
            for (int j = 0; j < N; j++) {
                int i = part + PARTS * j;
                if (i < d.keySize) {
                    kept[(size_t) i * d.valueSize] = state[j];
                }
            }
        }
    }
}

#define RECUR(N)                                                                                                                           \
    extern "C" __global__ void __launch_bounds__(COLUMNS* PARTS) delta_recur_##N(const int* stop, const Step* step, const __grid_constant__ Delta d,         \
            const float* channels, const float* alpha, const float* beta, float* out) {                                                    \
        STOP(stop)   \
        recur<N>(step, d, channels, alpha, beta, out);                                                                                     \
    }

RECUR(8)
RECUR(16)
RECUR(64)

// Output norm and gate, in place; one warp for each head of each row.
extern "C" __global__ void delta_finish(const int* stop, const __grid_constant__ Delta d, const float* gate, float* out, int heads, uint8_t* parts,
        int partRows) {
    STOP(stop)
    int head = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (head >= heads) {
        return;
    }
    size_t offset = (size_t) head * d.valueSize;
    warpNorm(out + offset, d.norm, d.valueSize, d.epsilon, out + offset);
    for (int i = threadIdx.x & 31; i < d.valueSize; i += 32) {
        float g = gate[offset + i];
        float v = out[offset + i] * (d.sigmoidGate ? sigmoid(g) : silu(g));
        out[offset + i] = v;
        if (parts) {
            storeGroup(parts, d.valueHeads * d.valueSize / 32, partRows, head / d.valueHeads, (head % d.valueHeads * d.valueSize + i) / 32, v);
        }
    }
}

// All of that in one kernel, for the rows of segments that decode and heads of at most MOST elements, with the same bits. One block for each value
// head of each segment; thread t has column t % MOST, and key elements t / MOST, t / MOST + PARTS, ...
static constexpr int MOST = 128;
static constexpr int STEP_THREADS = MOST * PARTS;
static constexpr int HELD = MOST / PARTS;

extern "C" __global__ void __launch_bounds__(STEP_THREADS) delta_step(const int* stop, const Step* step, const __grid_constant__ Convolution c,
        const __grid_constant__ Delta d, const float* qkv, const float* gate, const float* alpha, const float* beta, float* out, uint8_t* parts,
        int partRows) {
    __shared__ float vectors[3][MOST];
    __shared__ float squares[2][MOST / 32];
    __shared__ float partial[2][PARTS][MOST];
    __shared__ float results[MOST];
    dependentStart();
    int lane = threadIdx.x & 31;
    int part = threadIdx.x / MOST;
    int column = threadIdx.x % MOST;
    int head = blockIdx.x;
    int segment = blockIdx.y;
    int ratio = d.valueHeads / d.keyHeads;
    int keyHead = d.grouped ? head / ratio : head % d.keyHeads;
    // The planes that are read, like all tables of a step, do not change within it.
    u64 planeIn = step->planeIn[segment];
    int first = step->firstRow[segment];
    int end = step->firstRow[segment + 1];
    bool valid = column < d.valueSize;
    long long stateBytes = d.stateOffset + 4LL * ((long long) head * d.keySize * d.valueSize + column);
    const float* before = (const float*) (planeIn + stateBytes);
    float state[HELD];
#pragma unroll
    for (int j = 0; j < HELD; j++) {
        int i = part + PARTS * j;
        state[j] = valid && i < d.keySize ? before[(size_t) i * d.valueSize] : 0.0f;
    }
    // The first threads convolve a channel each: of the query head, the key head, and the value head.
    int kind = part;
    int size = kind < 2 ? d.keySize : d.valueSize;
    bool convolves = kind < 3 && column < size;
    bool keeps = convolves && (kind == 2 || (d.grouped ? head % ratio == 0 : head < d.keyHeads));
    int channel = kind == 2 ? 2 * d.keyHeads * d.keySize + head * d.valueSize + column : (kind * d.keyHeads + keyHead) * d.keySize + column;
    const float* taps = c.weights + (size_t) channel * c.kernel;
    const float* history = (const float*) (planeIn + c.historyOffset) + channel;
    float past = 0.0f;
    if (convolves) {
        for (int tap = 0; tap < c.kernel - 1; tap++) {
            past = fmaf(taps[tap], history[(size_t) tap * c.channels], past);
        }
    }
    float bias = d.timeBias[head];
    float rateOfDecay = d.decay[head];
    float newest = convolves ? taps[c.kernel - 1] : 0.0f;
    dependentWait();
    int mark = stop ? *stop : 0;
    float own = convolves ? qkv[(size_t) first * c.channels + channel] : 0.0f;
    for (int row = first; row < end; row++) {
        int index = row - first;
        float v = 0.0f;
        float time = alpha[(size_t) row * d.valueHeads + head] + bias;
        float rate = beta[(size_t) row * d.valueHeads + head];
        if (mark) {
            return;
        }
        if (convolves) {
            if (index == 0) {
                v = silu(fmaf(newest, own, past));
            } else {
                v = convolved(step, c, qkv, row, channel);
            }
            if (keeps) {
                keepHistory(step, c, qkv, row, channel);
            }
        }
        float decay = expf(rateOfDecay * (time > 20.0f ? time : log1pf(expf(time))));
        rate = sigmoid(rate);
        if (kind < 2) {
            float sum = warpSum(v * v);
            if (lane == 0) {
                squares[kind][column >> 5] = sum;
            }
        }
        __syncthreads();
        if (kind < 2) {
            float sum = squares[kind][0];
#pragma unroll
            for (int w = 1; w < MOST / 32; w++) {
                sum += squares[kind][w];
            }
            float factor = kind == 0 ? 1.0f / sqrtf((float) d.keySize) : 1.0f;
            v *= factor / sqrtf(sum + 1e-6f);
        }
        if (kind < 3) {
            vectors[kind][column] = v;
        }
        __syncthreads();
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < HELD; j++) {
            int i = part + PARTS * j;
            sum = i < d.keySize ? fmaf(state[j], vectors[1][i], sum) : sum;
        }
        partial[0][part][column] = sum;
        __syncthreads();
        sum = partial[0][0][column];
#pragma unroll
        for (int p = 1; p < PARTS; p++) {
            sum += partial[0][p][column];
        }
        float u = (vectors[2][column] - sum * decay) * rate;
        float result = 0.0f;
#pragma unroll
        for (int j = 0; j < HELD; j++) {
            int i = part + PARTS * j;
            if (i < d.keySize) {
                state[j] = fmaf(state[j], decay, u * vectors[1][i]);
                result = fmaf(state[j], vectors[0][i], result);
            }
        }
        partial[1][part][column] = result;
        __syncthreads();
        if (part == 0) {
            result = partial[1][0][column];
#pragma unroll
            for (int p = 1; p < PARTS; p++) {
                result += partial[1][p][column];
            }
            results[column] = result;
        }
        u64 plane = step->planeOut[row];
        if (plane && valid) {
            float* kept = (float*) (plane + stateBytes);
#pragma unroll
            for (int j = 0; j < HELD; j++) {
                int i = part + PARTS * j;
                if (i < d.keySize) {
                    kept[(size_t) i * d.valueSize] = state[j];
                }
            }
        }
        __syncthreads();
        if (threadIdx.x < 32) {
            size_t offset = ((size_t) row * d.valueHeads + head) * d.valueSize;
            float all = 0.0f;
            for (int i = lane; i < d.valueSize; i += 32) {
                all = fmaf(results[i], results[i], all);
            }
            float scale = inverseRms(warpSum(all), d.valueSize, d.epsilon);
            for (int i = lane; i < d.valueSize; i += 32) {
                float g = gate[offset + i];
                float y = results[i] * scale * d.norm[i] * (d.sigmoidGate ? sigmoid(g) : silu(g));
                out[offset + i] = y;
                if (parts) {
                    storeGroup(parts, d.valueHeads * d.valueSize / 32, partRows, row, (head * d.valueSize + i) / 32, y);
                }
            }
        }
    }
}
