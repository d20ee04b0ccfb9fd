// Heads of a DeltaNet layer, and the causal depthwise convolution over the rows of segments; rows in front of the step come from a recurrent
// plane, oldest first.
#pragma once

#include "common.cuh"

struct Delta {
    int keyHeads, valueHeads, keySize, valueSize;
    int grouped, sigmoidGate;
    long long stateOffset;
    const float* timeBias;
    const float* decay;
    const float* norm;
    float epsilon;
};

struct Convolution {
    int channels, kernel, dilation;
    long long historyOffset;
    const float* weights;
};

// Row `index` of a segment; negative ones are history.
__device__ __forceinline__ const float* convolutionRow(const Step* step, const Convolution& c, const float* input, int segment, int index) {
    return index >= 0 ? input + (size_t) (step->firstRow[segment] + index) * c.channels
            : (const float*) (step->planeIn[segment] + c.historyOffset) + (size_t) ((c.kernel - 1) * c.dilation + index) * c.channels;
}

__device__ __forceinline__ float convolved(const Step* step, const Convolution& c, const float* input, int row, int channel) {
    int segment = step->segmentOf[row];
    int index = row - step->firstRow[segment];
    float sum = 0.0f;
    for (int tap = 0; tap < c.kernel; tap++) {
        const float* source = convolutionRow(step, c, input, segment, index - (c.kernel - 1 - tap) * c.dilation);
        sum = fmaf(c.weights[(size_t) channel * c.kernel + tap], source[channel], sum);
    }
    return silu(sum);
}

// Leaves the history of a channel in the plane that keeps the state after the row, where there is one.
__device__ __forceinline__ void keepHistory(const Step* step, const Convolution& c, const float* input, int row, int channel) {
    u64 plane = step->planeOut[row];
    if (plane) {
        int segment = step->segmentOf[row];
        int index = row - step->firstRow[segment];
        int history = (c.kernel - 1) * c.dilation;
        float* target = (float*) (plane + c.historyOffset);
        for (int h = 0; h < history; h++) {
            target[(size_t) h * c.channels + channel] = convolutionRow(step, c, input, segment, index - (history - 1) + h)[channel];
        }
    }
}
