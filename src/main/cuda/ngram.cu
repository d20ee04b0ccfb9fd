// The n-gram embedding behind its projections: gate, norm, dilated convolution, addition to the streams.

#include "recurrent.cuh"

// One block for each (row, stream): the gate, and the normed gated value in front of the convolution.
extern "C" __global__ void ngram_gate(const int* stop, const float* key, const float* value, const float* streams, int count, int width, const float* keyNorm,
        const float* queryNorm, const float* convolutionNorm, float epsilon, float* gates, float* normed) {
    STOP(stop)
    __shared__ float partial[32];
    size_t offset = (size_t) blockIdx.x * width;
    size_t weight = (size_t) (blockIdx.x % count) * width;
    const float* v = value + (size_t) (blockIdx.x / count) * width;
    float keySquares = 0.0f;
    float streamSquares = 0.0f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        keySquares = fmaf(key[offset + i], key[offset + i], keySquares);
        streamSquares = fmaf(streams[offset + i], streams[offset + i], streamSquares);
    }
    float keyScale = inverseRms(blockSum(keySquares, partial), width, epsilon);
    float streamScale = inverseRms(blockSum(streamSquares, partial), width, epsilon);
    float dot = 0.0f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        float k = key[offset + i] * keyScale * keyNorm[weight + i];
        float q = streams[offset + i] * streamScale * queryNorm[weight + i];
        dot = fmaf(k, q, dot);
    }
    float score = blockSum(dot, partial) / sqrtf((float) width);
    float root = sqrtf(fmaxf(fabsf(score), 1e-6f));
    float gate = sigmoid(score > 0.0f ? root : score < 0.0f ? -root : score);
    float squares = 0.0f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        float g = v[i] * gate;
        squares = fmaf(g, g, squares);
    }
    float scale = inverseRms(blockSum(squares, partial), width, epsilon);
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        normed[offset + i] = v[i] * gate * scale * convolutionNorm[weight + i];
    }
    if (threadIdx.x == 0) {
        gates[blockIdx.x] = gate;
    }
}

// X += V + silu(conv(N)). Rows in y, channels in x.
extern "C" __global__ void ngram_convolve(const int* stop, const Step* step, const __grid_constant__ Convolution c, const float* normed, const float* gates,
        const float* value, int count, int width, float* streams) {
    STOP(stop)
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= c.channels) {
        return;
    }
    int row = blockIdx.y;
    int stream = channel / width;
    float sum = convolved(step, c, normed, row, channel);
    keepHistory(step, c, normed, row, channel);
    sum = fmaf(value[(size_t) row * width + channel % width], gates[(size_t) row * count + stream], sum);
    streams[(size_t) row * c.channels + channel] += sum;
}
