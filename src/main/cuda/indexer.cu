// The sparse-attention indexer: finished block keys, raw keys of open blocks, scores, and the choice of the best blocks.

#include "common.cuh"

struct Indexer {
    int heads, headSize, ratio, topBlocks, pageTokens;
    long long blockKeyOffset, openKeysOffset;
    const float* queryNorm;
    const float* keyNorm;
    float epsilon;
    const float* frequencies;
    int rotaryWidth;
    float magnitude;
    int interleaved;
};

// The raw key of a position of the row's segment, at most one open block in front of the segment.
__device__ __forceinline__ const float* rawKey(const Step* step, const Indexer& x, const float* keys, int row, int position) {
    int segment = step->segmentOf[row];
    int first = step->firstRow[segment];
    int index = position - step->positions[first];
    return index >= 0 ? keys + (size_t) (first + index) * x.headSize
            : (const float*) (step->planeIn[segment] + x.openKeysOffset) + (size_t) (position % x.ratio) * x.headSize;
}

__device__ __forceinline__ float* blockKey(const Step* step, const Indexer& x, int segment, int block) {
    int perPage = x.pageTokens / x.ratio;
    return (float*) (pageOf(step, segment, block / perPage) + x.blockKeyOffset) + (size_t) (block % perPage) * x.headSize;
}

// One block for each row. The first warp finishes the index block that ends with the row, all write the open keys the row keeps; rows
// behind the position are zeroed, since what a plane holds must not depend on how the prompt was cut. Dynamic shared memory: a key.
extern "C" __global__ void index_keys(const int* stop, const Step* step, const __grid_constant__ Indexer x, const float* keys) {
    STOP(stop)
    extern __shared__ float buffer[];
    int row = blockIdx.x;
    int position = step->positions[row];
    if ((position + 1) % x.ratio == 0 && threadIdx.x < 32) {
        int start = position + 1 - x.ratio;
        for (int i = threadIdx.x; i < x.headSize; i += 32) {
            float sum = rawKey(step, x, keys, row, start)[i];
            for (int t = 1; t < x.ratio; t++) {
                sum += rawKey(step, x, keys, row, start + t)[i];
            }
            buffer[i] = sum * (1.0f / (float) x.ratio);
        }
        __syncwarp();
        warpNorm(buffer, x.keyNorm, x.headSize, x.epsilon, buffer);
        __syncwarp();
        warpRotate(buffer, start, x.frequencies, x.rotaryWidth, x.magnitude, x.interleaved);
        __syncwarp();
        float* target = blockKey(step, x, step->segmentOf[row], start / x.ratio);
        for (int i = threadIdx.x; i < x.headSize; i += 32) {
            target[i] = buffer[i];
        }
    }
    u64 plane = step->planeOut[row];
    if (plane) {
        float* open = (float*) (plane + x.openKeysOffset);
        int start = position - position % x.ratio;
        for (int i = threadIdx.x; i < x.ratio * x.headSize; i += blockDim.x) {
            int at = start + i / x.headSize;
            open[i] = at <= position ? rawKey(step, x, keys, row, at)[i % x.headSize] : 0.0f;
        }
    }
}

// Norm and rotation of the query heads; one warp a head, out of place.
extern "C" __global__ void index_queries(const int* stop, const Step* step, const __grid_constant__ Indexer x, const float* queries, float* prepared) {
    STOP(stop)
    int head = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (head >= x.heads) {
        return;
    }
    size_t offset = ((size_t) blockIdx.y * x.heads + head) * x.headSize;
    warpNorm(queries + offset, x.queryNorm, x.headSize, x.epsilon, prepared + offset);
    __syncwarp();
    warpRotate(prepared + offset, step->positions[blockIdx.y], x.frequencies, x.rotaryWidth, x.magnitude, x.interleaved);
}

// scores[row - firstRow][block]; one warp a block of tokens, the row's heads in dynamic shared memory.
extern "C" __global__ void index_scores(const int* stop, const Step* step, const __grid_constant__ Indexer x, const float* prepared, int firstRow, float scale,
        float* scores, int stride) {
    STOP(stop)
    extern __shared__ float queries[];
    int row = firstRow + blockIdx.y;
    int blocks = (step->positions[row] + 1) / x.ratio;
    int warps = blockDim.x >> 5;
    int lane = threadIdx.x & 31;
    int perBlock = (stride + gridDim.x - 1) / gridDim.x;
    int from = blockIdx.x * perBlock;
    int to = min(blocks, from + perBlock);
    if (blocks <= x.topBlocks || from >= to) {
        return;
    }
    for (int i = threadIdx.x; i < x.heads * x.headSize; i += blockDim.x) {
        queries[i] = prepared[(size_t) row * x.heads * x.headSize + i];
    }
    __syncthreads();
    int segment = step->segmentOf[row];
    for (int block = from + (threadIdx.x >> 5); block < to; block += warps) {
        const float* key = blockKey(step, x, segment, block);
        float score = 0.0f;
        for (int h = 0; h < x.heads; h++) {
            float sum = 0.0f;
            for (int i = lane; i < x.headSize; i += 32) {
                sum = fmaf(queries[h * x.headSize + i], key[i], sum);
            }
            sum = warpSum(sum);
            score += sum > 0.0f ? sum : 0.0f;
        }
        if (lane == 0) {
            scores[(size_t) blockIdx.y * stride + block] = score * scale;
        }
    }
}

static constexpr int CHOOSERS = 256;
static constexpr int BINS = 2048;

// Number of flags in front of this thread's, and all of them in `total`. `warps` holds an int for each warp.
__device__ __forceinline__ int flagsInFront(bool flag, int* warps, int& total) {
    unsigned ballot = __ballot_sync(0xffffffffu, flag);
    int lane = threadIdx.x & 31;
    if (lane == 0) {
        warps[threadIdx.x >> 5] = __popc(ballot);
    }
    __syncthreads();
    int front = __popc(ballot & ((1u << lane) - 1));
    total = 0;
    for (int w = 0; w < CHOOSERS / 32; w++) {
        front += w < threadIdx.x >> 5 ? warps[w] : 0;
        total += warps[w];
    }
    __syncthreads();
    return front;
}

// The best blocks of a row in ascending order, ties to the lowest: radix selection on the bits of scores that are never negative or NaN.
extern "C" __global__ void __launch_bounds__(CHOOSERS) index_choose(const int* stop, const Step* step, const __grid_constant__ Indexer x, int firstRow,
        const float* scores, int stride, int* selection, int rowInts) {
    STOP(stop)
    __shared__ int histogram[BINS];
    __shared__ int above[CHOOSERS];
    __shared__ int warps[CHOOSERS / 32];
    __shared__ int digit, left;
    int row = firstRow + blockIdx.x;
    int blocks = (step->positions[row] + 1) / x.ratio;
    int* target = selection + (size_t) row * rowInts;
    if (blocks <= x.topBlocks) {
        for (int i = threadIdx.x; i <= blocks; i += CHOOSERS) {
            target[i] = i == 0 ? blocks : i - 1;
        }
        return;
    }
    const uint32_t* bits = (const uint32_t*) (scores + (size_t) blockIdx.x * stride);
    uint32_t prefix = 0;
    int open = x.topBlocks;
    // 31 bits without the sign: the highest 11, the next 11, the last 9
    for (int pass = 0; pass < 3; pass++) {
        int shift = pass == 0 ? 20 : pass == 1 ? 9 : 0;
        int width = pass == 2 ? 9 : 11;
        for (int i = threadIdx.x; i < BINS; i += CHOOSERS) {
            histogram[i] = 0;
        }
        __syncthreads();
        for (int i = threadIdx.x; i < blocks; i += CHOOSERS) {
            if (bits[i] >> shift >> width == prefix) {
                atomicAdd(&histogram[bits[i] >> shift & ((1u << width) - 1)], 1);
            }
        }
        __syncthreads();
        int own = 0;
        for (int b = 0; b < BINS / CHOOSERS; b++) {
            own += histogram[threadIdx.x * (BINS / CHOOSERS) + b];
        }
        above[threadIdx.x] = own;
        __syncthreads();
        int higher = 0;
        for (int t = threadIdx.x + 1; t < CHOOSERS; t++) {
            higher += above[t];
        }
        if (higher < open && higher + own >= open) {
            int rest = open - higher;
            int candidate = (threadIdx.x + 1) * (BINS / CHOOSERS) - 1;
            while (histogram[candidate] < rest) {
                rest -= histogram[candidate--];
            }
            digit = candidate;
            left = rest;
        }
        __syncthreads();
        prefix = prefix << width | digit;
        open = left;
        __syncthreads();
    }
    int written = 0;
    int ties = 0;
    for (int start = 0; start < blocks; start += CHOOSERS) {
        int i = start + threadIdx.x;
        uint32_t value = i < blocks ? bits[i] : 0;
        bool tie = i < blocks && value == prefix;
        int tiesHere, keptHere;
        int rank = flagsInFront(tie, warps, tiesHere);
        bool keep = i < blocks && (value > prefix || (tie && ties + rank < open));
        int at = flagsInFront(keep, warps, keptHere);
        if (keep) {
            target[1 + written + at] = i;
        }
        written += keptHere;
        ties += tiesHere;
    }
    if (threadIdx.x == 0) {
        target[0] = x.topBlocks;
    }
}
