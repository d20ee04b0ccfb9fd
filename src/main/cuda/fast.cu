// Products of a stored matrix with few rows on tensor cores, dense or by expert: what decoding spends its time in. Compiled for each type that
// is stored as small integers with scales: -DQUANT=id.
//
// Sixteen outputs and four rows are one tile: the integers of the weights times the sixteen-bit integers of the rows (see fast.cuh), whose two
// bytes are two columns of the tile. The sum over 32 (or 16) columns is an exact integer; scales come behind it. Weights are never rounded;
// activations are, to a part in 65,000 of the greatest of 32: plain int8 activations would lose a part in 250.
//
// 256 columns are a unit. Units are added up in sixteen (or fewer) runs of every sixteenth, and the runs in order. That order follows from the
// columns alone, and columns of a tile do not touch each other, so a row's bits depend on nothing but the row and the matrix.

#include "decode.cuh"
#include "fast.cuh"

static constexpr int OUTPUTS = 16;
static constexpr int ROWS = 4;
static constexpr int MOST_WARPS = 16;
static constexpr int RUNS = 16;
static constexpr int MATRICES = 5;
// Groups whose activations are on their way at a time, and blocks of a multiprocessor: the more, the better hides one the waits of another.
static constexpr int AHEAD_OF_ONE = 2;
static constexpr int BLOCKS_OF_ONE = 2;

__device__ __forceinline__ void multiply32(int (&c)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
            : "=r"(c[0]), "=r"(c[1]), "=r"(c[2]), "=r"(c[3])
            : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(0));
}

__device__ __forceinline__ void multiply16(int (&c)[4], uint32_t a0, uint32_t a1, uint32_t b0) {
    asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%7,%7,%7};"
            : "=r"(c[0]), "=r"(c[1]), "=r"(c[2]), "=r"(c[3])
            : "r"(a0), "r"(a1), "r"(b0), "r"(0));
}

// A byte as a float without the slow conversion: it becomes the low bits of 2^23.
__device__ __forceinline__ float byteToFloat(uint32_t word, int byte) {
    return __uint_as_float(__byte_perm(word, 0x4b000000u, 0x7440u | byte)) - 8388608.0f;
}

// A thread's part of 256 columns of one output: load() reads it, values() gives the eight columns of group g as bytes in two words;
// scale(g, half) is a factor on them and factor() one on all; minimum(g) is subtracted from each, times offset().
// HALVES: the first four values are of columns 4t to 4t + 3 and the others of 16 + 4t on, t being the thread in its quad; else columns 8t on.
template <int TYPE> struct Part;

struct KScales {
    uint32_t scales[2], minima[2];
    uint32_t d;

    __device__ __forceinline__ void unpack(const uint4& head) {
        d = head.x;
        scales[0] = head.y & 0x3f3f3f3fu;
        scales[1] = (head.w & 0x0f0f0f0fu) | (head.y >> 2 & 0x30303030u);
        minima[0] = head.z & 0x3f3f3f3fu;
        minima[1] = (head.w >> 4 & 0x0f0f0f0fu) | (head.z >> 2 & 0x30303030u);
    }

    __device__ __forceinline__ float scale(int g, int) const {
        return byteToFloat(scales[g >> 2], g & 3);
    }

    __device__ __forceinline__ float minimum(int g) const {
        return byteToFloat(minima[g >> 2], g & 3);
    }

    __device__ __forceinline__ float factor() const {
        return __half2float(__ushort_as_half((unsigned short) d));
    }

    __device__ __forceinline__ float offset() const {
        return __half2float(__ushort_as_half((unsigned short) (d >> 16)));
    }
};

template <> struct Part<12> : KScales {
    static constexpr bool HALVES = false;
    static constexpr bool MINIMA = true;
    uint4 head;
    uint2 q[4];

    __device__ __forceinline__ void load(const uint8_t* row, int unit, int, int t) {
        const uint8_t* block = row + 144 * (size_t) unit;
        head = __ldg((const uint4*) block);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            q[j] = __ldg((const uint2*) (block + 16 + 32 * j + 8 * t));
        }
    }

    __device__ __forceinline__ void unpack() {
        KScales::unpack(head);
    }

    __device__ __forceinline__ void values(int g, uint32_t (&w)[2]) const {
        w[0] = q[g >> 1].x >> 4 * (g & 1) & 0x0f0f0f0fu;
        w[1] = q[g >> 1].y >> 4 * (g & 1) & 0x0f0f0f0fu;
    }
};

template <> struct Part<13> : KScales {
    static constexpr bool HALVES = false;
    static constexpr bool MINIMA = true;
    uint4 head;
    uint2 q[4];
    uint2 fifth;

    __device__ __forceinline__ void load(const uint8_t* row, int unit, int, int t) {
        const uint8_t* block = row + 176 * (size_t) unit;
        head = __ldg((const uint4*) block);
        fifth = __ldg((const uint2*) (block + 16 + 8 * t));
#pragma unroll
        for (int j = 0; j < 4; j++) {
            q[j] = __ldg((const uint2*) (block + 48 + 32 * j + 8 * t));
        }
    }

    __device__ __forceinline__ void unpack() {
        KScales::unpack(head);
    }

    __device__ __forceinline__ void values(int g, uint32_t (&w)[2]) const {
        w[0] = (q[g >> 1].x >> 4 * (g & 1) & 0x0f0f0f0fu) | (fifth.x >> g & 0x01010101u) << 4;
        w[1] = (q[g >> 1].y >> 4 * (g & 1) & 0x0f0f0f0fu) | (fifth.y >> g & 0x01010101u) << 4;
    }
};

template <> struct Part<14> {
    static constexpr bool HALVES = true;
    static constexpr bool MINIMA = false;
    uint32_t low[2][2][2], high[2][2];
    uint32_t scales[4];
    float d;

    __device__ __forceinline__ void load(const uint8_t* row, int unit, int, int t) {
        const uint8_t* block = row + 210 * (size_t) unit;
#pragma unroll
        for (int h = 0; h < 2; h++) {
#pragma unroll
            for (int s = 0; s < 2; s++) {
                low[h][0][s] = u32by2(block + 64 * h + 16 * s + 4 * t);
                low[h][1][s] = u32by2(block + 64 * h + 32 + 16 * s + 4 * t);
                high[h][s] = u32by2(block + 128 + 32 * h + 16 * s + 4 * t);
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            scales[i] = u32by2(block + 192 + 4 * i);
        }
        d = half16(block + 208);
    }

    __device__ __forceinline__ void unpack() {}

    __device__ __forceinline__ void values(int g, uint32_t (&w)[2]) const {
        int h = g >> 2;
        int i = g & 3;
#pragma unroll
        for (int s = 0; s < 2; s++) {
            uint32_t n = (low[h][i & 1][s] >> 4 * (i >> 1) & 0x0f0f0f0fu) | (high[h][s] >> 2 * i & 0x03030303u) << 4;
            // Minus 32 in each byte: nothing is borrowed from the next while the highest bits are set.
            w[s] = ((n | 0x80808080u) - 0x20202020u) ^ 0x80808080u;
        }
    }

    __device__ __forceinline__ float scale(int g, int half) const {
        return byteToFloat(scales[g >> 1] ^ 0x80808080u, 2 * (g & 1) + half) - 128.0f;
    }

    __device__ __forceinline__ float minimum(int) const {
        return 0.0f;
    }

    __device__ __forceinline__ float factor() const {
        return d;
    }

    __device__ __forceinline__ float offset() const {
        return 0.0f;
    }
};

template <> struct Part<8> {
    static constexpr bool HALVES = false;
    static constexpr bool MINIMA = false;
    uint32_t q[8][2];
    float d[8];

    __device__ __forceinline__ void load(const uint8_t* row, int unit, int groups, int t) {
#pragma unroll
        for (int g = 0; g < 8; g++) {
            const uint8_t* block = row + 34 * ((size_t) unit * 8 + (g < groups ? g : 0));
            d[g] = half16(block);
            q[g][0] = u32by2(block + 2 + 8 * t);
            q[g][1] = u32by2(block + 6 + 8 * t);
        }
    }

    __device__ __forceinline__ void unpack() {}

    __device__ __forceinline__ void values(int g, uint32_t (&w)[2]) const {
        w[0] = q[g][0];
        w[1] = q[g][1];
    }

    __device__ __forceinline__ float scale(int g, int) const {
        return d[g];
    }

    __device__ __forceinline__ float minimum(int) const {
        return 0.0f;
    }

    __device__ __forceinline__ float factor() const {
        return 1.0f;
    }

    __device__ __forceinline__ float offset() const {
        return 0.0f;
    }
};

typedef Part<QUANT> P;

// y = W x for up to MATRICES of one type and width, or with a second matrix y = silu(W x) . (V x). Blocks firstBlock[m] to
// firstBlock[m + 1] - 1 make the outputs of matrix m, 16 * tiles each. `second` is one more than its address or offset, 0 when there is none.
//
// slots == 0: `rows` rows, weights and second are addresses. Otherwise group g is expert[g] with its matrices at slots[g] + weights[0] and
// slots[g] + second, and serves pairs[firstPair[g]] to pairs[firstPair[g + 1] - 1]: pair p reads row p / xDivide and writes row p.
// x as in fast.cuh with xRows rows; results also go to `parts` so, with partRows rows, where it is set (two tiles then, and whole groups of
// outputs). With `sum` they are added to y. Dynamic shared memory: for each item, NT * ROWS rows of OUTPUTS floats.
struct FastProduct {
    u64 weights[MATRICES];
    float* y[MATRICES];
    int outputs[MATRICES];
    int firstBlock[MATRICES];
    float scale[MATRICES];
    int matrices, columns;
    u64 second;
    float secondScale;
    int rows;
    const u64* slots;
    const int* firstPair;
    const int* pairs;
    const int* expert;
    const float* scales;
    const float* secondScales;
    long long rowBytes;
    const uint8_t* x;
    int xRows, xDivide;
    uint8_t* parts;
    int partRows, sum, tiles;
};

// Rows as a thread reads them: for each tile its bytes and, of row t, the scales; strides are those between groups, 0 (and zeros are read)
// where there is no such row, so that all loads can be on their way at once.
template <int NT> struct Rows {
    const uint8_t* at[NT];
    const float2* scales[NT];
    int stride[NT];
    int scaleStride[NT];

    __device__ __forceinline__ void advance(int groups) {
#pragma unroll
        for (int n = 0; n < NT; n++) {
            at[n] += (long long) groups * stride[n];
            scales[n] += groups * scaleStride[n];
        }
    }

    __device__ __forceinline__ uint2 bytes(int n, int g) const {
        const uint8_t* p = at[n] + g * stride[n];
        if (P::HALVES) {
            return make_uint2(__ldg((const uint32_t*) p), __ldg((const uint32_t*) (p + 16)));
        }
        return __ldg((const uint2*) p);
    }

    __device__ __forceinline__ float2 scale(int n, int g) const {
        return __ldg(scales[n] + g * scaleStride[n]);
    }
};

__device__ uint4 zeros[4];

// Sets up tile n for a thread: `row` of x for its bytes, `scaled` for its scales, -1 for none.
template <int NT> __device__ __forceinline__ void rowsOf(Rows<NT>& rows, int n, const uint8_t* x, int xRows, int groups, int row, int scaled) {
    int lane = threadIdx.x & 31;
    int t = lane & 3;
    rows.stride[n] = row < 0 ? 0 : xRows * 64;
    rows.at[n] = row < 0 ? (const uint8_t*) zeros : x + (size_t) row * 64 + (lane >> 2 & 1) * 32 + (P::HALVES ? 4 : 8) * t;
    rows.scaleStride[n] = scaled < 0 ? 0 : xRows;
    rows.scales[n] = scaled < 0 ? (const float2*) zeros : (const float2*) (x + (size_t) groups * xRows * 64) + scaled;
}

// Adds 256 columns of two outputs (this thread's g and g + 8) times NT tiles of rows.
template <int NT>
__device__ __forceinline__ void accumulate(P& first, P& other, int groups, const Rows<NT>& x, int tiles, float (&acc)[NT][2]) {
    constexpr int AHEAD = NT == 1 ? AHEAD_OF_ONE : NT == 2 ? 4 : 2;
    float scaled[NT][2];
    float minima[NT][2];
    uint2 v[AHEAD][NT];
    float2 s[AHEAD][NT];
#pragma unroll
    for (int n = 0; n < NT; n++) {
        scaled[n][0] = scaled[n][1] = minima[n][0] = minima[n][1] = 0.0f;
#pragma unroll
        for (int g = 0; g < AHEAD; g++) {
            v[g][n] = x.bytes(n, g < groups ? g : 0);
            s[g][n] = x.scale(n, g < groups ? g : 0);
        }
    }
    first.unpack();
    other.unpack();
#pragma unroll
    for (int g = 0; g < 8; g++) {
        if (g < groups) {
            uint32_t a[2], b[2];
            first.values(g, a);
            other.values(g, b);
#pragma unroll
            for (int n = 0; n < NT; n++) {
                if (NT == 1 || n < tiles) {
                    uint2 bytes = v[g % AHEAD][n];
                    float2 scale = s[g % AHEAD][n];
                    int c[4];
                    if (P::HALVES) {
                        multiply16(c, a[0], b[0], bytes.x);
                        scaled[n][0] = fmaf(first.scale(g, 0) * scale.x, (float) (256 * c[0] + c[1]), scaled[n][0]);
                        scaled[n][1] = fmaf(other.scale(g, 0) * scale.x, (float) (256 * c[2] + c[3]), scaled[n][1]);
                        multiply16(c, a[1], b[1], bytes.y);
                    } else {
                        multiply32(c, a[0], b[0], a[1], b[1], bytes.x, bytes.y);
                    }
                    scaled[n][0] = fmaf(first.scale(g, 1) * scale.x, (float) (256 * c[0] + c[1]), scaled[n][0]);
                    scaled[n][1] = fmaf(other.scale(g, 1) * scale.x, (float) (256 * c[2] + c[3]), scaled[n][1]);
                    if (P::MINIMA) {
                        minima[n][0] = fmaf(first.minimum(g), scale.y, minima[n][0]);
                        minima[n][1] = fmaf(other.minimum(g), scale.y, minima[n][1]);
                    }
                }
            }
            if (g + AHEAD < 8) {
#pragma unroll
                for (int n = 0; n < NT; n++) {
                    v[g % AHEAD][n] = x.bytes(n, g + AHEAD < groups ? g + AHEAD : 0);
                    s[g % AHEAD][n] = x.scale(n, g + AHEAD < groups ? g + AHEAD : 0);
                }
            }
        }
    }
#pragma unroll
    for (int n = 0; n < NT; n++) {
        acc[n][0] = fmaf(first.factor(), scaled[n][0], acc[n][0]);
        acc[n][1] = fmaf(other.factor(), scaled[n][1], acc[n][1]);
        if (P::MINIMA) {
            acc[n][0] = fmaf(-first.offset(), minima[n][0], acc[n][0]);
            acc[n][1] = fmaf(-other.offset(), minima[n][1], acc[n][1]);
        }
    }
}

// The weights of a unit of an item: of one tile of outputs, pass and run.
__device__ __forceinline__ void load(const FastProduct& p, u64 slot, int m, int firstOutput, int item, int runs, int passes, int unit, int groups,
        P& first, P& other) {
    int lane = threadIdx.x & 31;
    int chain = item / runs;
    const uint8_t* base = (const uint8_t*) (chain % passes == 0 ? slot + p.weights[m] : slot + (p.second - 1));
    // Outputs behind the last are computed from the last one's weights and dropped.
    int low = firstOutput + chain / passes * OUTPUTS + (lane >> 2);
    int last = p.outputs[m] - 1;
    int left = min(8, groups - 8 * unit);
    first.load(base + min(low, last) * p.rowBytes, unit, left, lane & 3);
    other.load(base + min(low + 8, last) * p.rowBytes, unit, left, lane & 3);
}

template <int NT> __device__ __forceinline__ void product(const int* stop, const FastProduct& p) {
    extern __shared__ float sums[];
    int group = blockIdx.z;
    int mark = stop ? *stop : 0;
    u64 slot = p.slots ? p.slots[group] : 0;
    int begin = p.slots ? p.firstPair[group] : 0;
    int count = (p.slots ? p.firstPair[group + 1] - begin : p.rows) - blockIdx.y * NT * ROWS;
    if ((p.slots && mark) | (count <= 0)) {
        return;
    }
    begin += blockIdx.y * NT * ROWS;
    count = min(count, NT * ROWS);
    int m = 0;
    while (m + 1 < p.matrices && (int) blockIdx.x >= p.firstBlock[m + 1]) {
        m++;
    }
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    int warps = blockDim.x >> 5;
    int g = lane >> 2;
    int t = lane & 3;
    int firstOutput = (blockIdx.x - p.firstBlock[m]) * OUTPUTS * p.tiles;
    int outputs = p.outputs[m];
    int tiles = (count + ROWS - 1) / ROWS;
    int groups = p.columns / 32;
    int units = (groups + 7) / 8;
    int runs = min(RUNS, units);
    int passes = p.second ? 2 : 1;
    int items = p.tiles * passes * runs;
    // Weights come first: they take longest, and need to know nothing of the rows.
    P first, other;
    if (warp < items) {
        load(p, slot, m, firstOutput, warp, runs, passes, warp % runs, groups, first, other);
    }
    if (mark) {
        return;
    }
    Rows<NT> x;
#pragma unroll
    for (int n = 0; n < NT; n++) {
        int mine = n * ROWS + (g >> 1);
        int scaled = n * ROWS + t;
        int row = mine >= count ? -1 : p.slots ? p.pairs[begin + mine] / p.xDivide : begin + mine;
        int scaledRow = scaled >= count ? -1 : p.slots ? p.pairs[begin + scaled] / p.xDivide : begin + scaled;
        rowsOf<NT>(x, n, p.x, p.xRows, groups, row, scaledRow);
    }
    for (int item = warp; item < items; item += warps) {
        float acc[NT][2];
#pragma unroll
        for (int n = 0; n < NT; n++) {
            acc[n][0] = acc[n][1] = 0.0f;
        }
        for (int unit = item % runs; unit < units; unit += RUNS) {
            if (item != warp || unit != item % runs) {
                load(p, slot, m, firstOutput, item, runs, passes, unit, groups, first, other);
            }
            int left = min(8, groups - 8 * unit);
            Rows<NT> at = x;
            at.advance(8 * unit);
            accumulate<NT>(first, other, left, at, tiles, acc);
        }
#pragma unroll
        for (int n = 0; n < NT; n++) {
            float* target = sums + ((size_t) item * NT * ROWS + n * ROWS + t) * OUTPUTS + g;
            target[0] = acc[n][0];
            target[8] = acc[n][1];
        }
    }
    // What the end needs is asked for in front of the barrier.
    float scale = p.scales ? p.scales[p.expert[group]] : p.scale[m];
    float secondScale = p.secondScales ? p.secondScales[p.expert[group]] : p.secondScale;
    int across = p.tiles * OUTPUTS;
    int firstRow = 0;
    float firstBefore = 0.0f;
    if (threadIdx.x < count * across && firstOutput + threadIdx.x % across < outputs) {
        int r = threadIdx.x / across;
        firstRow = p.slots ? p.pairs[begin + r] : begin + r;
        firstBefore = p.sum ? p.y[m][(size_t) firstRow * outputs + firstOutput + threadIdx.x % across] : 0.0f;
    }
    __syncthreads();
    // Whole warps, since a group of results is stored by one.
    for (int i = threadIdx.x; i < (count * across + 31 & -32); i += blockDim.x) {
        int r = i / across;
        int output = firstOutput + i % across;
        bool valid = r < count && output < outputs;
        const float* from = sums + ((size_t) (i % across / OUTPUTS * passes * runs) * NT * ROWS + r) * OUTPUTS + i % OUTPUTS;
        bool again = i != threadIdx.x;
        int row = !again ? firstRow : valid ? (p.slots ? p.pairs[begin + r] : begin + r) : 0;
        float sum = 0.0f;
        if (valid) {
            float* y = p.y[m] + (size_t) row * outputs + output;
            float before = !again ? firstBefore : p.sum ? *y : 0.0f;
#pragma unroll 4
            for (int run = 0; run < runs; run++) {
                sum += from[run * NT * ROWS * OUTPUTS];
            }
            sum *= scale;
            if (p.second) {
                float other = 0.0f;
#pragma unroll 4
                for (int run = 0; run < runs; run++) {
                    other += from[(runs + run) * NT * ROWS * OUTPUTS];
                }
                sum = silu(sum) * (other * secondScale);
            }
            if (p.sum) {
                sum = before + sum;
            }
            *y = sum;
        }
        if (p.parts) {
            storeGroup(p.parts, outputs / 32, p.partRows, row, output / 32, sum);
        }
    }
}

#define FAST(NT)                                                                                                                           \
    extern "C" __global__ void __launch_bounds__(32 * MOST_WARPS, NT == 1 ? BLOCKS_OF_ONE : 1) fast_##NT(const int* stop, const __grid_constant__ FastProduct p) {    \
        product<NT>(stop, p);                                                                                                              \
    }

FAST(1)
FAST(2)
FAST(4)

// The last product of a row's experts, their weighted sum in router order, the shared expert and the addition to the residual: for one row,
// with the bits of fast_N and `combine`. Pair j is expert slot j.
struct FastDown {
    u64 weights;
    long long rowBytes;
    int outputs, columns, choices;
    const u64* slots;
    const int* pairs;
    const int* expert;
    const float* scales;
    const uint8_t* x;
    const float* weight;
    const float* shared;
    const float* sharedGate;
    const float* input;
    float* y;
    int inputs, added;
};

static constexpr int DOWN_WARPS = 24;
static constexpr int MOST_ITEMS = 96;
static constexpr int COMBINE_THREADS = 256;

extern "C" __global__ void __launch_bounds__(32 * DOWN_WARPS, 1) fast_down(const int* stop, const __grid_constant__ FastDown p) {
    __shared__ float sums[MOST_ITEMS][OUTPUTS];
    __shared__ float partial[COMBINE_THREADS / 32];
    __shared__ float weights[MOST_ITEMS];
    __shared__ float scales[MOST_ITEMS];
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    int warps = blockDim.x >> 5;
    int g = lane >> 2;
    int t = lane & 3;
    int firstOutput = blockIdx.x * OUTPUTS;
    int low = min(firstOutput + g, p.outputs - 1);
    int high = min(firstOutput + g + 8, p.outputs - 1);
    int groups = p.columns / 32;
    int units = (groups + 7) / 8;
    int items = p.choices * units;
    int mark = stop ? *stop : 0;
    bool gated = p.shared && p.sharedGate;
    float gate = 0.0f;
    if (gated && threadIdx.x < COMBINE_THREADS) {
        for (int i = threadIdx.x; i < p.inputs; i += COMBINE_THREADS) {
            gate = fmaf(p.sharedGate[i], p.input[i], gate);
        }
    }
    for (int item = warp; item < items; item += warps) {
        int choice = item / units;
        int unit = item % units;
        u64 slot = p.slots[choice];
        int pair = p.pairs[choice];
        if (mark) {
            return;
        }
        const uint8_t* base = (const uint8_t*) (slot + p.weights);
        P first, other;
        int left = min(8, groups - 8 * unit);
        first.load(base + low * p.rowBytes, unit, left, t);
        other.load(base + high * p.rowBytes, unit, left, t);
        Rows<1> x;
        rowsOf<1>(x, 0, p.x, p.choices, groups, g < 2 ? pair : -1, t == 0 ? pair : -1);
        x.advance(8 * unit);
        float acc[1][2] = {{0.0f, 0.0f}};
        accumulate<1>(first, other, left, x, 1, acc);
        if (t == 0) {
            sums[item][g] = acc[0][0];
            sums[item][g + 8] = acc[0][1];
        }
    }
    if (mark) {
        return;
    }
    if (threadIdx.x < p.choices) {
        weights[threadIdx.x] = p.weight[threadIdx.x];
        scales[threadIdx.x] = p.scales ? p.scales[p.expert[threadIdx.x]] : 1.0f;
    }
    int output = firstOutput + threadIdx.x;
    bool last = threadIdx.x < OUTPUTS && output < p.outputs;
    float before = last && p.added ? p.y[output] : 0.0f;
    float shared = last && p.shared ? p.shared[output] : 0.0f;
    if (gated && threadIdx.x < COMBINE_THREADS) {
        gate = warpSum(gate);
        if (lane == 0) {
            partial[warp] = gate;
        }
    }
    __syncthreads();
    if (!last) {
        return;
    }
    float sum = 0.0f;
    for (int j = 0; j < p.choices; j++) {
        // Groups stand in the order of their pairs, and a row names an expert once.
        float y = 0.0f;
        for (int u = 0; u < units; u++) {
            y += sums[j * units + u][threadIdx.x];
        }
        y *= scales[j];
        sum = fmaf(y, weights[j], sum);
    }
    if (p.shared) {
        float share = 1.0f;
        if (gated) {
            float all = partial[0];
            for (int w = 1; w < COMBINE_THREADS / 32; w++) {
                all += partial[w];
            }
            share = sigmoid(all);
        }
        sum = fmaf(shared, share, sum);
    }
    p.y[output] = p.added ? before + sum : sum;
}
