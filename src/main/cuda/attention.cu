// Paged attention: norm, rotation and append of a step's queries, keys and values, and causal attention over the pages.
//
// A row's keys are taken in chunks of CHUNK, counted along the positions it sees. Each chunk gives a maximum, a sum of weights and a sum of
// weighted values; chunks are merged in ascending order, in one block (`attend_whole`) or by a second kernel (`attend_split` and
// `attend_merge`). Both run the same operations in the same order, so the choice between them does not change a bit.

#include "fast.cuh"
#include "pages.cuh"

static constexpr int CHUNK = 128;
static constexpr int THREADS = 256;
static constexpr int WARPS = THREADS / 32;
static constexpr int HEADS = 8;

// Items of a row are its query heads, then key heads, then value heads; one warp for each. Dynamic shared memory: a head for each warp.
template <typename T>
__device__ __forceinline__ void prepare(const Step* step, const Shape& s, const float* queryNorm, const float* keyNorm, float epsilon,
        const float* frequencies, int rotaryWidth, float magnitude, int interleaved, const float* queryGate, const float* key, const float* value,
        float* query) {
    extern __shared__ float buffers[];
    int lane = threadIdx.x & 31;
    int item = blockIdx.x * WARPS + (threadIdx.x >> 5);
    int row = blockIdx.y;
    if (item >= s.heads + 2 * s.kvHeads) {
        return;
    }
    float* buffer = buffers + (threadIdx.x >> 5) * s.headSize;
    int position = step->positions[row];
    int kind = item < s.heads ? 0 : item < s.heads + s.kvHeads ? 1 : 2;
    int head = kind == 0 ? item : (item - s.heads) % s.kvHeads;
    int kvWidth = s.kvHeads * s.headSize;
    const float* source = kind == 0 ? queryGate + ((size_t) row * s.heads + head) * s.headSize * (s.gated ? 2 : 1)
            : (kind == 1 ? key : value) + (size_t) row * kvWidth + head * s.headSize;
    const float* norm = kind == 0 ? queryNorm : kind == 1 ? keyNorm : 0;
    if (norm) {
        warpNorm(source, norm, s.headSize, epsilon, buffer);
    } else {
        for (int i = lane; i < s.headSize; i += 32) {
            buffer[i] = source[i];
        }
    }
    __syncwarp();
    if (kind < 2) {
        warpRotate(buffer, position, frequencies, rotaryWidth, magnitude, interleaved);
        __syncwarp();
    }
    if (kind == 0) {
        for (int i = lane; i < s.headSize; i += 32) {
            query[((size_t) row * s.heads + head) * s.headSize + i] = buffer[i];
        }
        return;
    }
    u64 page = pageOf(step, step->segmentOf[row], position / s.pageTokens) + (kind == 1 ? s.keyOffset : s.valueOffset);
    T* target = (T*) page + (size_t) (position % s.pageTokens) * kvWidth + head * s.headSize;
    for (int i = lane; i < s.headSize; i += 32) {
        store(target + i, buffer[i]);
    }
}

// What one block attends with: a row, a key/value head, and up to HEADS of its query heads.
struct Item {
    int row, kvHead, firstHead, heads;
    int visible;
};

struct Selection {
    const int* data;
    int rowInts, ratio;
};

__device__ __forceinline__ int visibleKeys(const Step* step, const Selection& selection, int row) {
    int positions = step->positions[row] + 1;
    return selection.data ? selection.data[(size_t) row * selection.rowInts] * selection.ratio + positions % selection.ratio : positions;
}

__device__ __forceinline__ Item itemOf(const Step* step, const Shape& s, const Selection& selection, int firstRow) {
    int group = s.heads / s.kvHeads;
    int parts = (group + HEADS - 1) / HEADS;
    int part = blockIdx.x % parts;
    Item item;
    item.row = firstRow + blockIdx.x / (parts * s.kvHeads);
    item.kvHead = blockIdx.x / parts % s.kvHeads;
    item.firstHead = item.kvHead * group + part * HEADS;
    item.heads = min(HEADS, group - part * HEADS);
    item.visible = visibleKeys(step, selection, item.row);
    return item;
}

struct Shared {
    u64 address[CHUNK];
    float scores[HEADS][CHUNK];
    float maximum[HEADS];
    float sum[HEADS];
    float oldFactor[HEADS];
    float newFactor[HEADS];
};

__device__ __forceinline__ void loadQueries(const Shape& s, const Item& item, const float* query, float* queries) {
    const float* source = query + ((size_t) item.row * s.heads + item.firstHead) * s.headSize;
    for (int i = threadIdx.x; i < item.heads * s.headSize; i += THREADS) {
        queries[i] = source[i];
    }
}

// Addresses of the key rows of a chunk (of this head), scores, and softmax weights with their maximum and sum. Returns the number of keys.
template <typename T>
__device__ __forceinline__ int weigh(const Step* step, const Shape& s, const Item& item, const Selection& selection, int chunk, float scale,
        const float* queries, Shared& shared) {
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    int count = min(CHUNK, item.visible - chunk * CHUNK);
    int segment = step->segmentOf[item.row];
    const int* selected = selection.data ? selection.data + (size_t) item.row * selection.rowInts : 0;
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += THREADS) {
        int position = chunk * CHUNK + k;
        if (selected) {
            int kept = selected[0] * selection.ratio;
            int tail = (step->positions[item.row] + 1) / selection.ratio * selection.ratio;
            position = position >= kept ? tail + position - kept
                    : selected[1 + position / selection.ratio] * selection.ratio + position % selection.ratio;
        }
        size_t inPage = (size_t) (position % s.pageTokens) * s.kvHeads + item.kvHead;
        shared.address[k] = pageOf(step, segment, position / s.pageTokens) + inPage * s.headSize * sizeof(T);
    }
    __syncthreads();
    for (int k = warp; k < count; k += WARPS) {
        const T* key = (const T*) (shared.address[k] + s.keyOffset);
        float acc[HEADS];
#pragma unroll
        for (int h = 0; h < HEADS; h++) {
            acc[h] = 0.0f;
        }
        if (s.vectorised) {
            for (int i = 4 * lane; i < s.headSize; i += 128) {
                float4 v = load4(key + i);
#pragma unroll
                for (int h = 0; h < HEADS; h++) {
                    if (h < item.heads) {
                        float4 q = *(const float4*) (queries + h * s.headSize + i);
                        acc[h] = fmaf(q.x, v.x, acc[h]);
                        acc[h] = fmaf(q.y, v.y, acc[h]);
                        acc[h] = fmaf(q.z, v.z, acc[h]);
                        acc[h] = fmaf(q.w, v.w, acc[h]);
                    }
                }
            }
        } else {
            for (int i = lane; i < s.headSize; i += 32) {
                float v = load(key + i);
#pragma unroll
                for (int h = 0; h < HEADS; h++) {
                    if (h < item.heads) {
                        acc[h] = fmaf(queries[h * s.headSize + i], v, acc[h]);
                    }
                }
            }
        }
#pragma unroll
        for (int h = 0; h < HEADS; h++) {
            if (h < item.heads) {
                float sum = warpSum(acc[h]);
                if (lane == 0) {
                    shared.scores[h][k] = sum * scale;
                }
            }
        }
    }
    __syncthreads();
    for (int h = warp; h < item.heads; h += WARPS) {
        float maximum = -INFINITY;
        for (int k = lane; k < count; k += 32) {
            maximum = fmaxf(maximum, shared.scores[h][k]);
        }
        maximum = warpMax(maximum);
        float sum = 0.0f;
        for (int k = lane; k < count; k += 32) {
            float weight = expf(shared.scores[h][k] - maximum);
            shared.scores[h][k] = weight;
            sum += weight;
        }
        sum = warpSum(sum);
        if (lane == 0) {
            shared.maximum[h] = maximum;
            shared.sum[h] = sum;
        }
    }
    __syncthreads();
    return count;
}

// Element i of the weighted values of all heads of the item.
template <typename T>
__device__ __forceinline__ void weightedValues(const Shape& s, const Item& item, int count, int i, const Shared& shared, float* acc) {
#pragma unroll
    for (int h = 0; h < HEADS; h++) {
        acc[h] = 0.0f;
    }
#pragma unroll 8
    for (int k = 0; k < count; k++) {
        float v = load((const T*) (shared.address[k] + s.valueOffset) + i);
#pragma unroll
        for (int h = 0; h < HEADS; h++) {
            if (h < item.heads) {
                acc[h] = fmaf(shared.scores[h][k], v, acc[h]);
            }
        }
    }
}

// Joins the chunk (maximum, sum) to what is there; the factors are those of the old and the new values.
__device__ __forceinline__ void join(float& maximum, float& sum, float chunkMaximum, float chunkSum, float& oldFactor, float& newFactor) {
    float together = fmaxf(maximum, chunkMaximum);
    oldFactor = expf(maximum - together);
    newFactor = expf(chunkMaximum - together);
    sum = fmaf(sum, oldFactor, chunkSum * newFactor);
    maximum = together;
}

__device__ __forceinline__ float joined(float value, float oldFactor, float chunkValue, float newFactor) {
    return fmaf(value, oldFactor, chunkValue * newFactor);
}

__device__ __forceinline__ float finished(const Shape& s, const float* queryGate, int row, int head, int i, float value, float sum) {
    float result = value / sum;
    return s.gated ? result * sigmoid(queryGate[(((size_t) row * s.heads + head) * 2 + 1) * s.headSize + i]) : result;
}

// All chunks of an item. Dynamic shared memory: queries and running values, HEADS heads each.
template <typename T>
__device__ __forceinline__ void whole(const Step* step, const Shape& s, const Selection& selection, int firstRow, float scale, const float* query,
        const float* queryGate, float* out, uint8_t* parts, int partRows) {
    extern __shared__ float dynamic[];
    __shared__ Shared shared;
    float* queries = dynamic;
    float* values = dynamic + HEADS * s.headSize;
    Item item = itemOf(step, s, selection, firstRow);
    loadQueries(s, item, query, queries);
    float maximum = 0.0f;
    float sum = 0.0f;
    for (int chunk = 0; chunk * CHUNK < item.visible; chunk++) {
        int count = weigh<T>(step, s, item, selection, chunk, scale, queries, shared);
        if (threadIdx.x < item.heads) {
            int h = threadIdx.x;
            if (chunk == 0) {
                maximum = shared.maximum[h];
                sum = shared.sum[h];
            } else {
                join(maximum, sum, shared.maximum[h], shared.sum[h], shared.oldFactor[h], shared.newFactor[h]);
            }
        }
        __syncthreads();
        for (int i = threadIdx.x; i < s.headSize; i += THREADS) {
            float acc[HEADS];
            weightedValues<T>(s, item, count, i, shared, acc);
#pragma unroll
            for (int h = 0; h < HEADS; h++) {
                if (h < item.heads) {
                    float* value = values + h * s.headSize + i;
                    *value = chunk == 0 ? acc[h] : joined(*value, shared.oldFactor[h], acc[h], shared.newFactor[h]);
                }
            }
        }
    }
    if (threadIdx.x < item.heads) {
        shared.sum[threadIdx.x] = sum;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < item.heads * s.headSize; i += THREADS) {
        int h = i / s.headSize;
        int head = item.firstHead + h;
        float v = finished(s, queryGate, item.row, head, i % s.headSize, values[i], shared.sum[h]);
        out[((size_t) item.row * s.heads + head) * s.headSize + i % s.headSize] = v;
        if (parts) {
            storeGroup(parts, s.heads * s.headSize / 32, partRows, item.row, (head * s.headSize + i % s.headSize) / 32, v);
        }
    }
}

// One chunk of an item, into partial[row][head][chunk]: maximum, sum, values. Rows count from firstRow.
template <typename T>
__device__ __forceinline__ void split(const Step* step, const Shape& s, const Selection& selection, int firstRow, float scale, const float* query,
        float* partial, int chunks) {
    extern __shared__ float queries[];
    __shared__ Shared shared;
    int chunk = blockIdx.y;
    Item item = itemOf(step, s, selection, firstRow);
    if (chunk * CHUNK >= item.visible) {
        return;
    }
    loadQueries(s, item, query, queries);
    int count = weigh<T>(step, s, item, selection, chunk, scale, queries, shared);
    size_t stride = s.headSize + 2;
    float* target = partial + ((size_t) ((item.row - firstRow) * s.heads + item.firstHead) * chunks + chunk) * stride;
    if (threadIdx.x < item.heads) {
        target[threadIdx.x * chunks * stride] = shared.maximum[threadIdx.x];
        target[threadIdx.x * chunks * stride + 1] = shared.sum[threadIdx.x];
    }
    for (int i = threadIdx.x; i < s.headSize; i += THREADS) {
        float acc[HEADS];
        weightedValues<T>(s, item, count, i, shared, acc);
#pragma unroll
        for (int h = 0; h < HEADS; h++) {
            if (h < item.heads) {
                target[h * chunks * stride + 2 + i] = acc[h];
            }
        }
    }
}

// One block for each (row, head).
extern "C" __global__ void attend_merge(const int* stop, const Step* step, const __grid_constant__ Shape s, const __grid_constant__ Selection selection, int firstRow,
        const float* queryGate, const float* partial, int chunks, float* out, uint8_t* parts, int partRows) {
    STOP(stop)
    int row = firstRow + blockIdx.x / s.heads;
    int head = blockIdx.x % s.heads;
    int used = (visibleKeys(step, selection, row) + CHUNK - 1) / CHUNK;
    size_t stride = s.headSize + 2;
    const float* source = partial + (size_t) blockIdx.x * chunks * stride;
    for (int i = threadIdx.x; i < s.headSize; i += blockDim.x) {
        float maximum = source[0];
        float sum = source[1];
        float value = source[2 + i];
#pragma unroll 4
        for (int chunk = 1; chunk < used; chunk++) {
            const float* next = source + chunk * stride;
            float oldFactor, newFactor;
            join(maximum, sum, next[0], next[1], oldFactor, newFactor);
            value = joined(value, oldFactor, next[2 + i], newFactor);
        }
        float v = finished(s, queryGate, row, head, i, value, sum);
        out[((size_t) row * s.heads + head) * s.headSize + i] = v;
        if (parts) {
            storeGroup(parts, s.heads * s.headSize / 32, partRows, row, (head * s.headSize + i) / 32, v);
        }
    }
}

#define ATTENTION_KERNELS(T, suffix)                                                                                                          \
    extern "C" __global__ void __launch_bounds__(THREADS) prepare_##suffix(const int* stop, const Step* step, const __grid_constant__ Shape s,                 \
            const float* queryNorm, const float* keyNorm, float epsilon, const float* frequencies, int rotaryWidth, float magnitude,          \
            int interleaved, const float* queryGate, const float* key, const float* value, float* query) {                                    \
        STOP(stop)   \
        prepare<T>(step, s, queryNorm, keyNorm, epsilon, frequencies, rotaryWidth, magnitude, interleaved, queryGate, key, value, query);     \
    }                                                                                                                                         \
    extern "C" __global__ void __launch_bounds__(THREADS) attend_whole_##suffix(const int* stop, const Step* step, const __grid_constant__ Shape s,            \
            const __grid_constant__ Selection selection, int firstRow, float scale, const float* query, const float* queryGate, float* out, uint8_t* parts, int partRows) { \
        STOP(stop)   \
        whole<T>(step, s, selection, firstRow, scale, query, queryGate, out, parts, partRows);                                                                 \
    }                                                                                                                                         \
    extern "C" __global__ void __launch_bounds__(THREADS) attend_split_##suffix(const int* stop, const Step* step, const __grid_constant__ Shape s,            \
            const __grid_constant__ Selection selection, int firstRow, float scale, const float* query, float* partial, int chunks) {         \
        STOP(stop)   \
        split<T>(step, s, selection, firstRow, scale, query, partial, chunks);                                                                \
    }

ATTENTION_KERNELS(__half, f16)
ATTENTION_KERNELS(float, f32)
