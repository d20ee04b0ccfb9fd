// Paged attention: norm, rotation and append of a step's queries, keys and values, and causal attention over the pages.
//
// A row's keys are taken in chunks of CHUNK, counted along the positions it sees; one block takes one chunk for a key/value head and up to HEADS
// of its query heads. A chunk gives a maximum, a sum of weights and a sum of weighted values, which are added up in QUARTERS runs of keys. Chunks
// are joined by their common maximum in RUNS runs of every eighth, in the block that ends last where they are few, else by a kernel of their own:
// the same operations in the same order, so that the choice between them does not change a bit.

#include "fast.cuh"
#include "pages.cuh"

static constexpr int CHUNK = 64;
static constexpr int THREADS = 256;
static constexpr int WARPS = THREADS / 32;
static constexpr int HEADS = 8;
static constexpr int QUARTERS = 4;
static constexpr int KEYS = CHUNK / WARPS;
static constexpr int QUARTER = CHUNK / QUARTERS;
static constexpr int ACROSS = THREADS / QUARTERS;
static constexpr int RUNS = 8;
// Chunks that the block which ends last joins: the lanes of a warp.
static constexpr int MOST_JOINED = 32;
static constexpr int MERGE_THREADS = 1024;
static constexpr int MERGE_ACROSS = MERGE_THREADS / RUNS;
static constexpr int MERGE_HELD = 4;
static constexpr int FACTORS = 2048;

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

struct Selection {
    const int* data;
    int rowInts, ratio;
};

// `query` is what `prepare` left, where it ran. `partial` holds maximum, sum and values by [row from firstRow][head][chunk], `tickets` a counter for
// each row, key/value head and part of its query heads; with `joined` the block that ends last joins the chunks.
struct Attend {
    const float* query;
    const float* queryGate;
    float* partial;
    unsigned* tickets;
    float* out;
    uint8_t* parts;
    int partRows, firstRow, chunks, joined;
    float scale;
};

// What `prepare` would be given: attention does its work for the rows of a step that are few.
struct Fresh {
    const float* queryNorm;
    const float* keyNorm;
    const float* frequencies;
    const float* key;
    const float* value;
    float epsilon, magnitude;
    int rotaryWidth, interleaved;
};

// What one block attends with: a row, a key/value head, and up to HEADS of its query heads.
struct Item {
    int row, kvHead, firstHead, heads;
    int visible;
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
    float4 weights[CHUNK][HEADS / 4];
    float maximum[HEADS];
    float sum[HEADS];
    float factors[HEADS][MOST_JOINED];
    bool last;
};

// Sums over the warp of eight values: lane l gets that of value l / 4, with the bits of warpSum.
__device__ __forceinline__ float sumOfEight(float (&v)[HEADS]) {
    int lane = threadIdx.x & 31;
    float four[4], two[2];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        bool upper = lane & 16;
        four[j] = (upper ? v[j + 4] : v[j]) + __shfl_xor_sync(0xffffffffu, upper ? v[j] : v[j + 4], 16);
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
        bool upper = lane & 8;
        two[j] = (upper ? four[j + 2] : four[j]) + __shfl_xor_sync(0xffffffffu, upper ? four[j] : four[j + 2], 8);
    }
    bool upper = lane & 4;
    float one = (upper ? two[1] : two[0]) + __shfl_xor_sync(0xffffffffu, upper ? two[0] : two[1], 4);
    one += __shfl_xor_sync(0xffffffffu, one, 2);
    return one + __shfl_xor_sync(0xffffffffu, one, 1);
}

template <typename T> struct Raw4;
template <> struct Raw4<__half> {
    typedef uint2 Four;
    typedef uint32_t Two;
};
template <> struct Raw4<float> {
    typedef float4 Four;
    typedef float2 Two;
};

__device__ __forceinline__ float4 floats4(const uint2& bits) {
    float2 low = __half22float2(*(const __half2*) &bits.x);
    float2 high = __half22float2(*(const __half2*) &bits.y);
    return make_float4(low.x, low.y, high.x, high.y);
}

__device__ __forceinline__ float4 floats4(const float4& v) {
    return v;
}

__device__ __forceinline__ float2 floats2(uint32_t bits) {
    return __half22float2(*(const __half2*) &bits);
}

__device__ __forceinline__ float2 floats2(const float2& v) {
    return v;
}

// A vector of at most 32 * N elements, in the lanes of a warp.
template <int N> __device__ __forceinline__ void take(const float* x, int count, float (&kept)[N]) {
#pragma unroll
    for (int k = 0; k < N; k++) {
        int i = (threadIdx.x & 31) + 32 * k;
        kept[k] = i < count ? x[i] : 0.0f;
    }
}

// RMS norm of it as warpNorm does it, or a copy.
template <int N> __device__ __forceinline__ void normed(const float (&kept)[N], const float* weight, int count, float epsilon, float* out) {
    int lane = threadIdx.x & 31;
    float scale = 1.0f;
    if (weight) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (32 * k < count) {
                sum = fmaf(kept[k], kept[k], sum);
            }
        }
        scale = inverseRms(warpSum(sum), count, epsilon);
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
        int i = lane + 32 * k;
        if (i < count) {
            out[i] = weight ? kept[k] * scale * weight[i] : kept[k];
        }
    }
}

// As warpRotate, with cosines and sines at hand.
__device__ __forceinline__ void rotate(float* x, const float2* turns, int width, int interleaved) {
    int half = width / 2;
    for (int i = threadIdx.x & 31; i < half; i += 32) {
        float2 turn = turns[i];
        int first = interleaved ? 2 * i : i;
        int second = interleaved ? 2 * i + 1 : i + half;
        float a = x[first];
        float b = x[second];
        x[first] = a * turn.x - b * turn.y;
        x[second] = a * turn.y + b * turn.x;
    }
}

__device__ __forceinline__ float finished(const Shape& s, const float* queryGate, int row, int head, int i, float value, float sum) {
    float result = value / sum;
    return s.gated ? result * sigmoid(queryGate[(((size_t) row * s.heads + head) * 2 + 1) * s.headSize + i]) : result;
}

__device__ __forceinline__ void finish(const Shape& s, const Attend& a, int row, int head, int i, float value, float sum) {
    float v = finished(s, a.queryGate, row, head, i, value, sum);
    a.out[((size_t) row * s.heads + head) * s.headSize + i] = v;
    if (a.parts) {
        storeGroup(a.parts, s.heads * s.headSize / 32, a.partRows, row, (head * s.headSize + i) / 32, v);
    }
}

// One chunk of an item. J: how many times 128 elements a head has at most, with keys and values whole in registers; 0 for heads of any size.
// Dynamic shared memory, in floats but for the last: QUARTERS * HEADS heads; HEADS heads of queries; with FRESH two heads of norms, for each row of the
// longest segment `rotaryWidth` cosines and sines, and for each of them a key and a value head as they are stored.
template <typename T, bool FRESH, int J>
__device__ __forceinline__ void attend(const int* stop, const Step* step, const Shape& s, const Selection& selection, const Attend& a,
        const Fresh& f) {
    extern __shared__ __align__(16) float dynamic[];
    __shared__ Shared shared;
    dependentStart();
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    if (!FRESH) {
        dependentWait();
        STOPPED(stop)
    }
    int chunk = blockIdx.y;
    Item item = itemOf(step, s, selection, a.firstRow);
    if (chunk * CHUNK >= item.visible) {
        return;
    }
    int size = s.headSize;
    float* sums = dynamic;
    float* queries = sums + QUARTERS * HEADS * size;
    int count = min(CHUNK, item.visible - chunk * CHUNK);
    int segment = step->segmentOf[item.row];
    int first = step->firstRow[segment];
    int base = step->positions[first];
    // Keys in front of `old` are in the pages, those behind it are this step's.
    int old = FRESH ? min(count, max(0, base - chunk * CHUNK)) : count;
    int fresh = count - old;
    int freshRow = first + chunk * CHUNK + old - base;
    float* norms = queries + HEADS * size;
    float2* turns = (float2*) (norms + 2 * size);
    int half = f.rotaryWidth / 2;
    int rows = FRESH ? item.row - first + 1 : 0;
    T* freshKeys = (T*) (turns + rows * half + rows * half % 2);
    T* freshValues = freshKeys + fresh * size;
    const int* selected = selection.data ? selection.data + (size_t) item.row * selection.rowInts : 0;
    for (int k = threadIdx.x; k < count; k += THREADS) {
        int position = chunk * CHUNK + k;
        if (!FRESH && selected) {
            int kept = selected[0] * selection.ratio;
            int tail = (step->positions[item.row] + 1) / selection.ratio * selection.ratio;
            position = position >= kept ? tail + position - kept
                    : selected[1 + position / selection.ratio] * selection.ratio + position % selection.ratio;
        }
        size_t inPage = (size_t) (position % s.pageTokens) * s.kvHeads + item.kvHead;
        shared.address[k] = pageOf(step, segment, position / s.pageTokens) + inPage * size * sizeof(T);
    }
    __syncthreads();
    // All of the chunk's keys and values are on their way at once, and with FRESH while the kernels in front are running.
    typename Raw4<T>::Four keys[KEYS][J ? J : 1];
    typename Raw4<T>::Two values[QUARTER][J ? J : 1];
    int quarter = threadIdx.x / ACROSS;
    int across = threadIdx.x % ACROSS;
    if (J) {
#pragma unroll
        for (int k = 0; k < KEYS; k++) {
#pragma unroll
            for (int j = 0; j < J; j++) {
                int i = 4 * lane + 128 * j;
                if (warp + WARPS * k < old && i < size) {
                    keys[k][j] = *(const typename Raw4<T>::Four*) ((const T*) (shared.address[warp + WARPS * k] + s.keyOffset) + i);
                }
            }
        }
#pragma unroll
        for (int k = 0; k < QUARTER; k++) {
#pragma unroll
            for (int j = 0; j < J; j++) {
                int i = 2 * across + 128 * j;
                if (quarter * QUARTER + k < old && i < size) {
                    values[k][j] = *(const typename Raw4<T>::Two*) ((const T*) (shared.address[quarter * QUARTER + k] + s.valueOffset) + i);
                }
            }
        }
    }
    if (FRESH) {
        for (int i = threadIdx.x; i < 2 * size; i += THREADS) {
            const float* norm = i < size ? f.queryNorm : f.keyNorm;
            norms[i] = norm ? __ldg(norm + i % size) : 1.0f;
        }
        for (int i = threadIdx.x; i < rows * half; i += THREADS) {
            double sine, cosine;
            sincos((double) (base + i / half) * (double) __ldg(f.frequencies + i % half), &sine, &cosine);
            turns[i] = make_float2((float) (cosine * f.magnitude), (float) (sine * f.magnitude));
        }
        dependentWait();
        int mark = stop ? *stop : 0;
        int kvWidth = s.kvHeads * size;
        // Query heads, then this step's keys in the chunk: two for each warp at a time.
        float kept[2][J ? 4 * J : 16];
        auto ask = [&](int i) {
#pragma unroll
            for (int n = 0; n < 2; n++) {
                int each = i + n * WARPS;
                if (each < item.heads) {
                    take(a.queryGate + ((size_t) item.row * s.heads + item.firstHead + each) * size * (s.gated ? 2 : 1), size, kept[n]);
                } else if (each < item.heads + fresh) {
                    take(f.key + (size_t) (freshRow + each - item.heads) * kvWidth + item.kvHead * size, size, kept[n]);
                }
            }
        };
        auto valueOf = [&](int i) { return f.value[(size_t) (freshRow + i / size) * kvWidth + item.kvHead * size + i % size]; };
        ask(warp);
        float firstValue = threadIdx.x < fresh * size ? valueOf(threadIdx.x) : 0.0f;
        if (mark) {
            return;
        }
        __syncthreads();
        for (int i = warp; i < item.heads + fresh; i += 2 * WARPS) {
            if (i != warp) {
                ask(i);
            }
#pragma unroll
            for (int n = 0; n < 2; n++) {
                int each = i + n * WARPS;
                int key = each - item.heads;
                if (each < item.heads) {
                    float* target = queries + each * size;
                    normed(kept[n], f.queryNorm ? norms : 0, size, f.epsilon, target);
                    __syncwarp();
                    rotate(target, turns + (rows - 1) * half, f.rotaryWidth, f.interleaved);
                } else if (key < fresh) {
                    float* target = sums + warp * size;
                    normed(kept[n], f.keyNorm ? norms + size : 0, size, f.epsilon, target);
                    __syncwarp();
                    rotate(target, turns + (freshRow + key - first) * half, f.rotaryWidth, f.interleaved);
                    __syncwarp();
                    // Every block that needs a row of this step stores it: the same bits.
                    T* page = (T*) (shared.address[old + key] + s.keyOffset);
                    for (int e = lane; e < size; e += 32) {
                        store(freshKeys + key * size + e, target[e]);
                        store(page + e, target[e]);
                    }
                    __syncwarp();
                }
            }
        }
        for (int i = threadIdx.x; i < fresh * size; i += THREADS) {
            float v = i == threadIdx.x ? firstValue : valueOf(i);
            store(freshValues + i, v);
            store((T*) (shared.address[old + i / size] + s.valueOffset) + i % size, v);
        }
    } else {
        const float* source = a.query + ((size_t) item.row * s.heads + item.firstHead) * size;
        for (int i = threadIdx.x; i < item.heads * size; i += THREADS) {
            queries[i] = source[i];
        }
    }
    __syncthreads();
    if (J) {
        float4 q[HEADS][J ? J : 1];
#pragma unroll
        for (int h = 0; h < HEADS; h++) {
#pragma unroll
            for (int j = 0; j < J; j++) {
                int i = 4 * lane + 128 * j;
                q[h][j] = h < item.heads && i < size ? *(const float4*) (queries + h * size + i) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            }
        }
#pragma unroll
        for (int k = 0; k < KEYS; k++) {
            int key = warp + WARPS * k;
            if (key < count) {
                float acc[HEADS];
#pragma unroll
                for (int h = 0; h < HEADS; h++) {
                    acc[h] = 0.0f;
                }
#pragma unroll
                for (int j = 0; j < J; j++) {
                    int i = 4 * lane + 128 * j;
                    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
                    if (i < size) {
                        v = FRESH && key >= old ? load4(freshKeys + (key - old) * size + i) : floats4(keys[k][j]);
                    }
#pragma unroll
                    for (int h = 0; h < HEADS; h++) {
                        acc[h] = fmaf(q[h][j].x, v.x, acc[h]);
                        acc[h] = fmaf(q[h][j].y, v.y, acc[h]);
                        acc[h] = fmaf(q[h][j].z, v.z, acc[h]);
                        acc[h] = fmaf(q[h][j].w, v.w, acc[h]);
                    }
                }
                float sum = sumOfEight(acc);
                if ((lane & 3) == 0) {
                    shared.scores[lane >> 2][key] = sum * a.scale;
                }
            }
        }
    } else {
        for (int key = warp; key < count; key += WARPS) {
            const T* from = FRESH && key >= old ? freshKeys + (key - old) * size : (const T*) (shared.address[key] + s.keyOffset);
            float acc[HEADS];
#pragma unroll
            for (int h = 0; h < HEADS; h++) {
                acc[h] = 0.0f;
            }
            for (int i = lane; i < size; i += 32) {
                float v = load(from + i);
#pragma unroll
                for (int h = 0; h < HEADS; h++) {
                    if (h < item.heads) {
                        acc[h] = fmaf(queries[h * size + i], v, acc[h]);
                    }
                }
            }
            float sum = sumOfEight(acc);
            if ((lane & 3) == 0) {
                shared.scores[lane >> 2][key] = sum * a.scale;
            }
        }
    }
    __syncthreads();
    for (int h = warp; h < HEADS; h += WARPS) {
        float maximum = -INFINITY;
        for (int k = lane; k < count; k += 32) {
            maximum = fmaxf(maximum, shared.scores[h][k]);
        }
        maximum = warpMax(maximum);
        float sum = 0.0f;
        for (int k = lane; k < count; k += 32) {
            float weight = expf(shared.scores[h][k] - maximum);
            ((float*) shared.weights[k])[h] = weight;
            sum += weight;
        }
        sum = warpSum(sum);
        if (lane == 0) {
            shared.maximum[h] = maximum;
            shared.sum[h] = sum;
        }
    }
    __syncthreads();
    // Values: a quarter of the keys for each quarter of the threads.
    int width = J ? 2 : 1;
    for (int i = width * across, j = 0; i < size; i += width * ACROSS, j++) {
        float acc[HEADS][2];
#pragma unroll
        for (int h = 0; h < HEADS; h++) {
            acc[h][0] = acc[h][1] = 0.0f;
        }
#pragma unroll
        for (int k = 0; k < QUARTER; k++) {
            int key = quarter * QUARTER + k;
            if (key < count) {
                float2 v;
                if (J) {
                    v = FRESH && key >= old ? make_float2(load(freshValues + (key - old) * size + i), load(freshValues + (key - old) * size + i + 1))
                            : floats2(J > 1 && j > 0 ? values[k][J > 1 ? 1 : 0] : values[k][0]);
                } else {
                    v.x = load(FRESH && key >= old ? freshValues + (key - old) * size + i : (const T*) (shared.address[key] + s.valueOffset) + i);
                    v.y = 0.0f;
                }
                float4 low = shared.weights[key][0];
                float4 high = shared.weights[key][1];
                float w[HEADS] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
                for (int h = 0; h < HEADS; h++) {
                    acc[h][0] = fmaf(w[h], v.x, acc[h][0]);
                    if (J) {
                        acc[h][1] = fmaf(w[h], v.y, acc[h][1]);
                    }
                }
            }
        }
#pragma unroll
        for (int h = 0; h < HEADS; h++) {
            float* target = sums + (quarter * HEADS + h) * size + i;
            target[0] = acc[h][0];
            if (J) {
                target[1] = acc[h][1];
            }
        }
    }
    __syncthreads();
    int used = (item.visible + CHUNK - 1) / CHUNK;
    size_t stride = size + 2;
    float* partial = a.partial + ((size_t) ((item.row - a.firstRow) * s.heads + item.firstHead) * a.chunks) * stride;
    for (int i = threadIdx.x; i < item.heads * size; i += THREADS) {
        float v = sums[i];
#pragma unroll
        for (int q = 1; q < QUARTERS; q++) {
            v += sums[q * HEADS * size + i];
        }
        int h = i / size;
        if (used == 1) {
            finish(s, a, item.row, item.firstHead + h, i % size, v, shared.sum[h]);
        } else {
            partial[((size_t) h * a.chunks + chunk) * stride + 2 + i % size] = v;
        }
    }
    if (used == 1) {
        return;
    }
    if (threadIdx.x < item.heads) {
        float* target = partial + ((size_t) threadIdx.x * a.chunks + chunk) * stride;
        target[0] = shared.maximum[threadIdx.x];
        target[1] = shared.sum[threadIdx.x];
    }
    if (!a.joined) {
        return;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        shared.last = atomicInc(a.tickets + blockIdx.x, used - 1) == used - 1;
        __threadfence();
    }
    __syncthreads();
    if (!shared.last) {
        return;
    }
    for (int h = warp; h < item.heads; h += WARPS) {
        const float* source = partial + (size_t) h * a.chunks * stride;
        float maximum = lane < used ? __ldcg(source + lane * stride) : -INFINITY;
        float sum = lane < used ? __ldcg(source + lane * stride + 1) : 0.0f;
        float factor = expf(maximum - warpMax(maximum));
        sum = warpSum(sum * factor);
        shared.factors[h][lane] = factor;
        if (lane == 0) {
            shared.sum[h] = sum;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < item.heads * size; i += THREADS) {
        int h = i / size;
        const float* source = partial + (size_t) h * a.chunks * stride + 2 + i % size;
        float run[RUNS];
#pragma unroll
        for (int r = 0; r < RUNS; r++) {
            run[r] = 0.0f;
        }
        for (int c = 0; c < used; c += RUNS) {
#pragma unroll
            for (int r = 0; r < RUNS; r++) {
                float v = c + r < used ? __ldcg(source + (c + r) * stride) : 0.0f;
                run[r] = c + r < used ? fmaf(v, shared.factors[h][c + r], run[r]) : run[r];
            }
        }
        float value = run[0];
#pragma unroll
        for (int r = 1; r < RUNS; r++) {
            value += run[r];
        }
        finish(s, a, item.row, item.firstHead + h, i % size, value, shared.sum[h]);
    }
}

// Joins the chunks of a row and head, with the bits of `attend`. One block for each.
extern "C" __global__ void __launch_bounds__(MERGE_THREADS) attend_merge(const int* stop, const Step* step, const __grid_constant__ Shape s,
        const __grid_constant__ Selection selection, const __grid_constant__ Attend a) {
    __shared__ float factors[FACTORS];
    __shared__ float partial[MERGE_THREADS / 32];
    __shared__ float runs[RUNS][MERGE_HELD * MERGE_ACROSS];
    __shared__ float total;
    STOP(stop)
    int lane = threadIdx.x & 31;
    int row = a.firstRow + blockIdx.x / s.heads;
    int head = blockIdx.x % s.heads;
    int used = (visibleKeys(step, selection, row) + CHUNK - 1) / CHUNK;
    if (used == 1) {
        return;
    }
    size_t stride = s.headSize + 2;
    const float* source = a.partial + (size_t) blockIdx.x * a.chunks * stride;
    float maximum = -INFINITY;
    for (int c = threadIdx.x; c < used; c += MERGE_THREADS) {
        maximum = fmaxf(maximum, source[c * stride]);
    }
    maximum = warpMax(maximum);
    if (lane == 0) {
        partial[threadIdx.x >> 5] = maximum;
    }
    __syncthreads();
    maximum = warpMax(partial[lane]);
    int run = threadIdx.x / MERGE_ACROSS;
    int across = threadIdx.x % MERGE_ACROSS;
    float values[MERGE_HELD] = {0.0f, 0.0f, 0.0f, 0.0f};
    float sum = 0.0f;
    for (int from = 0; from < used; from += FACTORS) {
        int count = min(FACTORS, used - from);
        __syncthreads();
        for (int c = threadIdx.x; c < count; c += MERGE_THREADS) {
            factors[c] = expf(source[(from + c) * stride] - maximum);
        }
        __syncthreads();
        if (threadIdx.x < 32) {
            for (int c = lane; c < count; c += 32) {
                float v = source[(from + c) * stride + 1] * factors[c];
                sum = from + c < 32 ? v : sum + v;
            }
        }
        for (int k = 0; k < MERGE_HELD; k++) {
            int i = across + k * MERGE_ACROSS;
            if (i < s.headSize) {
                const float* from0 = source + (size_t) from * stride + 2 + i;
                float v = values[k];
#pragma unroll 8
                for (int c = run; c < count; c += RUNS) {
                    v = fmaf(from0[c * stride], factors[c], v);
                }
                values[k] = v;
            }
        }
    }
    if (threadIdx.x < 32) {
        sum = warpSum(sum);
        if (lane == 0) {
            total = sum;
        }
    }
#pragma unroll
    for (int k = 0; k < MERGE_HELD; k++) {
        runs[run][across + k * MERGE_ACROSS] = values[k];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < s.headSize; i += MERGE_THREADS) {
        float value = runs[0][i];
#pragma unroll
        for (int r = 1; r < RUNS; r++) {
            value += runs[r][i];
        }
        finish(s, a, row, head, i, value, total);
    }
}

#define PREPARE_KERNEL(T, suffix)                                                                                                             \
    extern "C" __global__ void __launch_bounds__(THREADS) prepare_##suffix(const int* stop, const Step* step, const __grid_constant__ Shape s,  \
            const float* queryNorm, const float* keyNorm, float epsilon, const float* frequencies, int rotaryWidth, float magnitude,          \
            int interleaved, const float* queryGate, const float* key, const float* value, float* query) {                                    \
        STOP(stop)                                                                                                                            \
        prepare<T>(step, s, queryNorm, keyNorm, epsilon, frequencies, rotaryWidth, magnitude, interleaved, queryGate, key, value, query);     \
    }

#define ATTENTION_KERNELS(T, suffix, J, BLOCKS)                                                                                               \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) attend_##suffix##_##J(const int* stop, const Step* step,                    \
            const __grid_constant__ Shape s, const __grid_constant__ Selection selection, const __grid_constant__ Attend a) {                 \
        attend<T, false, J>(stop, step, s, selection, a, Fresh());                                                                            \
    }                                                                                                                                         \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) attend_fresh_##suffix##_##J(const int* stop, const Step* step,              \
            const __grid_constant__ Shape s, const __grid_constant__ Attend a, const __grid_constant__ Fresh f) {                             \
        attend<T, true, J>(stop, step, s, Selection(), a, f);                                                                                 \
    }

PREPARE_KERNEL(__half, f16)
PREPARE_KERNEL(float, f32)
ATTENTION_KERNELS(__half, f16, 0, 2)
ATTENTION_KERNELS(__half, f16, 1, 2)
ATTENTION_KERNELS(__half, f16, 2, 1)
ATTENTION_KERNELS(float, f32, 0, 2)
ATTENTION_KERNELS(float, f32, 1, 1)
