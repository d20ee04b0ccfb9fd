// What all kernels share: reductions in a fixed order, activations, half precision, and the tables of a step.
//
// Everything is compiled with --fmad=false: a product and a sum are fused only where the source says fmaf, so that two kernels made from
// the same function give the same bits.
#pragma once

#include <cuda_fp16.h>
#include <stdint.h>

typedef unsigned long long u64;

// Kernels of a step may start while the one in front of them is still running (see JcudaDriver.java). One that calls dependentWait() has every
// effect of the kernels in front of it behind that call, and must not touch memory that changes within a step before it, not even write to it;
// weights never change. What an earlier kernel wrote must not be read with __ldg() either: the compiler may move such loads in front of the
// wait, and their cache is not coherent with it. All threads that do anything must call it, in every kernel that calls it at all. dependentStart() lets the kernel behind
// start, the earlier the better: its blocks take what room is left once all blocks of this one are running.
//
// PTX for compute capability 8.0 knows neither; what stands for them there is replaced when a newer GPU loads it (see KernelModules.java).
__device__ __forceinline__ void dependentStart() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#else
    asm volatile("// dependents start" ::: "memory");
#endif
}

__device__ __forceinline__ void dependentWait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#else
    asm volatile("// dependents wait" ::: "memory");
#endif
}

// Every kernel but those of prompts begins with this: an expert that is missing stops the rest of a step, whose kernels then change
// nothing. `stop` is null where nothing can be missing. STOPPED is for kernels that have called dependentWait() themselves.
#define STOPPED(stop)      \
    if (stop && *stop) { \
        return;          \
    }
#define STOP(stop)     \
    dependentStart(); \
    dependentWait();  \
    STOPPED(stop)

// The tables of a step, copied in one piece; see StepTables.java, which writes them.
struct Step {
    const int* positions;
    const int* tokens;
    const int* segmentOf;
    const int* firstRow;
    const int* firstPage;
    const int* logitRows;
    const u64* planeOut;
    const u64* planeIn;
    const u64* pages;
};

__device__ __forceinline__ u64 pageOf(const Step* step, int segment, int index) {
    return step->pages[step->firstPage[segment] + index];
}

__device__ __forceinline__ float warpSum(float v) {
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) {
        v += __shfl_xor_sync(0xffffffffu, v, mask);
    }
    return v;
}

__device__ __forceinline__ float warpMax(float v) {
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) {
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, mask));
    }
    return v;
}

// Sum over the block, the same in every thread. `partial` holds a float for each warp; whole warps only.
__device__ __forceinline__ float blockSum(float v, float* partial) {
    v = warpSum(v);
    if ((threadIdx.x & 31) == 0) {
        partial[threadIdx.x >> 5] = v;
    }
    __syncthreads();
    float sum = partial[0];
    for (int w = 1; w < blockDim.x >> 5; w++) {
        sum += partial[w];
    }
    __syncthreads();
    return sum;
}

__device__ __forceinline__ float sigmoid(float x) {
    return 1.0f / (1.0f + expf(-x));
}

__device__ __forceinline__ float silu(float x) {
    return x / (1.0f + expf(-x));
}

__device__ __forceinline__ float inverseRms(float sumOfSquares, int count, float epsilon) {
    return 1.0f / sqrtf(sumOfSquares / (float) count + epsilon);
}

// The norm of rows has one order of adding whoever computes it, a block of so many threads each time: thread t adds the squares of elements
// t, t + NORM_THREADS, ... and threads are added as blockSum does.
static constexpr int NORM_THREADS = 256;

// RMS norm of one vector by one warp.
__device__ __forceinline__ void warpNorm(const float* x, const float* weight, int count, float epsilon, float* out) {
    int lane = threadIdx.x & 31;
    float sum = 0.0f;
    for (int i = lane; i < count; i += 32) {
        sum = fmaf(x[i], x[i], sum);
    }
    float scale = inverseRms(warpSum(sum), count, epsilon);
    for (int i = lane; i < count; i += 32) {
        out[i] = x[i] * scale * weight[i];
    }
}

// Rotates the leading `width` elements of x by the lanes of one warp. Angles are doubles: at position 10^6 a float angle is off by 0.03.
__device__ __forceinline__ void warpRotate(float* x, int position, const float* frequencies, int width, float magnitude, int interleaved) {
    int half = width / 2;
    for (int i = threadIdx.x & 31; i < half; i += 32) {
        double sine, cosine;
        sincos((double) position * (double) frequencies[i], &sine, &cosine);
        float s = (float) (sine * magnitude);
        float c = (float) (cosine * magnitude);
        int first = interleaved ? 2 * i : i;
        int second = interleaved ? 2 * i + 1 : i + half;
        float a = x[first];
        float b = x[second];
        x[first] = a * c - b * s;
        x[second] = a * s + b * c;
    }
}

__device__ __forceinline__ float load(const float* p) {
    return *p;
}

__device__ __forceinline__ float load(const __half* p) {
    return __half2float(*p);
}

__device__ __forceinline__ float4 load4(const float* p) {
    return *(const float4*) p;
}

__device__ __forceinline__ float4 load4(const __half* p) {
    uint2 bits = *(const uint2*) p;
    float2 low = __half22float2(*(const __half2*) &bits.x);
    float2 high = __half22float2(*(const __half2*) &bits.y);
    return make_float4(low.x, low.y, high.x, high.y);
}

__device__ __forceinline__ void store(float* p, float v) {
    *p = v;
}

__device__ __forceinline__ void store(__half* p, float v) {
    *p = __float2half_rn(v);
}
