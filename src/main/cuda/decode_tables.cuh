// Formats whose values come from a table: uneven levels, four-bit floats, codebooks.
#pragma once

#include "decode.cuh"

// Sixteen levels in four words, picked by a byte permutation instead of memory.
__device__ __forceinline__ int level(uint32_t nibble, uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3) {
    uint32_t low = __byte_perm(w0, w1, nibble & 7);
    uint32_t high = __byte_perm(w2, w3, nibble & 7);
    return (int8_t) ((nibble & 8 ? high : low) & 255);
}

// -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113
__device__ __forceinline__ int iq4Level(uint32_t nibble) {
    return level(nibble, 0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u);
}

// The E2M1 numbers doubled: 0, 1, 2, 3, 4, 6, 8, 12 and their negatives.
__device__ __forceinline__ int doubledFp4(uint32_t nibble) {
    return level(nibble, 0x03020100u, 0x0c080604u, 0xfdfeff00u, 0xf4f8fafcu);
}

// IQ4_NL: d, nibbles.
template <> struct Unit<20> {
    static constexpr int STRIDE = 16;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 18 * (size_t) (u >> 1);
        float d = half16(block);
        Bytes8 q = load8<2>(block + 2 + 8 * (u & 1));
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w[i] = d * iq4Level(q.at(i) & 15);
            w[8 + i] = d * iq4Level(q.at(i) >> 4);
        }
    }
};

// IQ4_XS: d, 6-bit scales of 32 elements, nibbles.
template <> struct Unit<23> {
    static constexpr int STRIDE = 16;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 136 * (size_t) (u >> 4);
        int s = (u & 15) >> 1;
        int low = __ldg(block + 4 + (s >> 1)) >> 4 * (s & 1) & 15;
        int high = u16(block + 2) >> 2 * s & 3;
        float scale = half16(block) * ((low | high << 4) - 32);
        Bytes8 q = load8<8>(block + 8 + 8 * (u & 15));
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w[i] = scale * iq4Level(q.at(i) & 15);
            w[8 + i] = scale * iq4Level(q.at(i) >> 4);
        }
    }
};

// MXFP4: a power of two, nibbles.
template <> struct Unit<39> {
    static constexpr int STRIDE = 16;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 17 * (size_t) (u >> 1);
        uint32_t e = __ldg(block);
        float d = __uint_as_float(e >= 2 ? (e - 1) << 23 : 0x00200000u << e);
        Bytes8 q = load8<1>(block + 1 + 8 * (u & 1));
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w[i] = d * doubledFp4(q.at(i) & 15);
            w[8 + i] = d * doubledFp4(q.at(i) >> 4);
        }
    }
};

// NVFP4: unsigned E4M3 scales of 16 elements, nibbles.
template <> struct Unit<40> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 36 * (size_t) (u >> 2);
        int code = __ldg(block + (u & 3));
        int exponent = code >> 3 & 15;
        int mantissa = code & 7;
        float e4m3 = exponent == 0 ? mantissa * 0.001953125f : __uint_as_float((uint32_t) (exponent + 120) << 23 | (uint32_t) mantissa << 20);
        float d = code == 0x7f ? 0.0f : 0.5f * e4m3;
        Bytes8 q = load8<4>(block + 4 + 8 * (u & 3));
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w[i] = d * doubledFp4(q.at(i) & 15);
            w[8 + i] = d * doubledFp4(q.at(i) >> 4);
        }
    }
};

// Codebooks one after the other, as in iq-codebooks.bin.
static constexpr int IQ2_XXS_BOOK = 0;
static constexpr int IQ2_XS_BOOK = 2048;
static constexpr int IQ2_S_BOOK = 6144;
static constexpr int IQ3_XXS_BOOK = 14336;
static constexpr int IQ3_S_BOOK = 15360;
static constexpr int IQ1_BOOK = 17408;

__device__ __forceinline__ Bytes8 book8(const int8_t* tables, int book, int index) {
    return load8<8>((const uint8_t*) tables + book + 8 * index);
}

__device__ __forceinline__ Bytes8 book4(const int8_t* tables, int book, int first, int second) {
    Bytes8 v;
    v.low = __ldg((const uint32_t*) (tables + book + 4 * first));
    v.high = __ldg((const uint32_t*) (tables + book + 4 * second));
    return v;
}

// Eight values with eight signs.
__device__ __forceinline__ void signedRun(float scale, Bytes8 values, uint32_t signs, float* w) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float v = scale * (int8_t) values.at(i);
        w[i] = signs >> i & 1 ? -v : v;
    }
}

// Seven stored signs; the eighth makes the number of minus signs even.
__device__ __forceinline__ uint32_t sevenSigns(uint32_t signs) {
    return signs | (__popc(signs) & 1) << 7;
}

// IQ2_XXS
template <> struct Unit<16> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t* tables, float* w) {
        const uint8_t* block = row + 66 * (size_t) (u >> 4);
        const uint8_t* group = block + 2 + 8 * ((u & 15) >> 1);
        uint32_t word = u32by2(group + 4);
        float scale = half16(block) * (0.5f + (word >> 28)) * 0.25f;
#pragma unroll
        for (int part = 0; part < 2; part++) {
            int octet = 2 * (u & 1) + part;
            signedRun(scale, book8(tables, IQ2_XXS_BOOK, __ldg(group + octet)), sevenSigns(word >> 7 * octet & 127), w + 8 * part);
        }
    }
};

// IQ2_XS
template <> struct Unit<17> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t* tables, float* w) {
        const uint8_t* block = row + 74 * (size_t) (u >> 4);
        int r = u & 15;
        int s = __ldg(block + 66 + (r >> 1)) >> 4 * (r & 1) & 15;
        float scale = half16(block) * (0.5f + s) * 0.25f;
#pragma unroll
        for (int part = 0; part < 2; part++) {
            uint32_t packed = u16(block + 2 + 2 * (2 * r + part));
            signedRun(scale, book8(tables, IQ2_XS_BOOK, packed & 511), sevenSigns(packed >> 9), w + 8 * part);
        }
    }
};

// IQ2_S
template <> struct Unit<22> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t* tables, float* w) {
        const uint8_t* block = row + 82 * (size_t) (u >> 4);
        int r = u & 15;
        int s = __ldg(block + 74 + (r >> 1)) >> 4 * (r & 1) & 15;
        float scale = half16(block) * (0.5f + s) * 0.25f;
        uint32_t upper = __ldg(block + 66 + (r >> 1));
#pragma unroll
        for (int part = 0; part < 2; part++) {
            int octet = 2 * r + part;
            int index = __ldg(block + 2 + octet) | (upper >> 2 * (octet & 3) & 3) << 8;
            signedRun(scale, book8(tables, IQ2_S_BOOK, index), __ldg(block + 34 + octet), w + 8 * part);
        }
    }
};

// IQ3_XXS
template <> struct Unit<18> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t* tables, float* w) {
        const uint8_t* block = row + 98 * (size_t) (u >> 4);
        int r = u & 15;
        uint32_t word = u32by2(block + 66 + 4 * (r >> 1));
        float scale = half16(block) * (0.5f + (word >> 28)) * 0.5f;
#pragma unroll
        for (int part = 0; part < 2; part++) {
            const uint8_t* indices = block + 2 + 4 * r + 2 * part;
            int octet = 2 * (r & 1) + part;
            signedRun(scale, book4(tables, IQ3_XXS_BOOK, __ldg(indices), __ldg(indices + 1)), sevenSigns(word >> 7 * octet & 127), w + 8 * part);
        }
    }
};

// IQ3_S
template <> struct Unit<21> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t* tables, float* w) {
        const uint8_t* block = row + 110 * (size_t) (u >> 4);
        int r = u & 15;
        int s = __ldg(block + 106 + (r >> 2)) >> 4 * (r >> 1 & 1) & 15;
        float scale = half16(block) * (1 + 2 * s);
        uint32_t ninth = (uint32_t) __ldg(block + 66 + (r >> 1)) >> 4 * (r & 1);
#pragma unroll
        for (int part = 0; part < 2; part++) {
            const uint8_t* indices = block + 2 + 4 * r + 2 * part;
            int first = __ldg(indices) | (ninth >> 2 * part & 1) << 8;
            int second = __ldg(indices + 1) | (ninth >> (2 * part + 1) & 1) << 8;
            signedRun(scale, book4(tables, IQ3_S_BOOK, first, second), __ldg(block + 74 + 2 * r + part), w + 8 * part);
        }
    }
};

__device__ __forceinline__ void shiftedRun(float scale, Bytes8 values, bool negative, float* w) {
    float shift = negative ? -0.125f : 0.125f;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        w[i] = scale * ((int8_t) values.at(i) + shift);
    }
}

// IQ1_S
template <> struct Unit<19> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t* tables, float* w) {
        const uint8_t* block = row + 50 * (size_t) (u >> 4);
        int r = u & 15;
        uint32_t word = u16(block + 34 + 2 * (r >> 1));
        float scale = half16(block) * (2 * (int) (word >> 12 & 7) + 1);
#pragma unroll
        for (int part = 0; part < 2; part++) {
            int index = __ldg(block + 2 + 2 * r + part) | (word >> 3 * (2 * (r & 1) + part) & 7) << 8;
            shiftedRun(scale, book8(tables, IQ1_BOOK, index), word & 0x8000, w + 8 * part);
        }
    }
};

// IQ1_M
template <> struct Unit<29> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t* tables, float* w) {
        const uint8_t* block = row + 56 * (size_t) (u >> 4);
        int r = u & 15;
        uint2 words = __ldg((const uint2*) (block + 48));
        uint32_t half = (words.x >> 12 & 15) | (words.x >> 28) << 4 | (words.y >> 12 & 15) << 8 | (words.y >> 28) << 12;
        float d = __half2float(__ushort_as_half((unsigned short) half));
        uint32_t pair = r & 8 ? words.y : words.x;
        uint32_t word = r & 4 ? pair >> 16 : pair;
        float scale = d * (2 * (int) (word >> 3 * (r & 3) & 7) + 1);
        uint32_t high = __ldg(block + 32 + r);
#pragma unroll
        for (int part = 0; part < 2; part++) {
            uint32_t nibble = high >> 4 * part & 15;
            int index = __ldg(block + 2 * r + part) | (nibble & 7) << 8;
            shiftedRun(scale, book8(tables, IQ1_BOOK, index), nibble & 8, w + 8 * part);
        }
    }
};
