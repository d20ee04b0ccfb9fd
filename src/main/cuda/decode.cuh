// Stored weights to floats, sixteen elements at a time: the unit of work of one lane.
//
// Unit u of a row is two runs of eight elements, the second STRIDE elements behind the first, chosen so that a lane reads each byte once:
// in most formats the high nibbles of a run of bytes are a later run of elements. Layouts are those documented at
// dev.ringside.gguf.BlockDecoder; the values are the same to the last rounding.
#pragma once

#include "common.cuh"

struct Bytes8 {
    uint32_t low, high;

    __device__ __forceinline__ uint32_t at(int i) const {
        return (i < 4 ? low >> 8 * i : high >> 8 * (i - 4)) & 255u;
    }
};

template <int ALIGN> __device__ __forceinline__ Bytes8 load8(const uint8_t* p) {
    Bytes8 v;
    if (ALIGN >= 8) {
        uint2 x = __ldg((const uint2*) p);
        v.low = x.x;
        v.high = x.y;
    } else if (ALIGN == 4) {
        v.low = __ldg((const uint32_t*) p);
        v.high = __ldg((const uint32_t*) (p + 4));
    } else if (ALIGN == 2) {
        const uint16_t* h = (const uint16_t*) p;
        v.low = __ldg(h) | (uint32_t) __ldg(h + 1) << 16;
        v.high = __ldg(h + 2) | (uint32_t) __ldg(h + 3) << 16;
    } else {
        v.low = __ldg(p) | (uint32_t) __ldg(p + 1) << 8 | (uint32_t) __ldg(p + 2) << 16 | (uint32_t) __ldg(p + 3) << 24;
        v.high = __ldg(p + 4) | (uint32_t) __ldg(p + 5) << 8 | (uint32_t) __ldg(p + 6) << 16 | (uint32_t) __ldg(p + 7) << 24;
    }
    return v;
}

__device__ __forceinline__ uint32_t u16(const uint8_t* p) {
    return __ldg((const uint16_t*) p);
}

__device__ __forceinline__ uint32_t u32by2(const uint8_t* p) {
    return u16(p) | u16(p + 2) << 16;
}

__device__ __forceinline__ float half16(const uint8_t* p) {
    return __half2float(__ushort_as_half(__ldg((const unsigned short*) p)));
}

// scale * q + offset; rounded twice where a gather must give the decoder's bits.
template <bool EXACT> __device__ __forceinline__ float affine(float scale, float q, float offset) {
    return EXACT ? scale * q + offset : fmaf(scale, q, offset);
}

template <int TYPE> struct Unit;

// F32, F16, BF16. Rows that are no multiple of sixteen go through `one`.
template <> struct Unit<0> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const float4* p = (const float4*) row + 4 * u;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float4 v = __ldg(p + i);
            w[4 * i] = v.x;
            w[4 * i + 1] = v.y;
            w[4 * i + 2] = v.z;
            w[4 * i + 3] = v.w;
        }
    }

    static __device__ __forceinline__ float one(const uint8_t* row, int i) {
        return __ldg((const float*) row + i);
    }
};

template <> struct Unit<1> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint4* p = (const uint4*) row + 2 * u;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            uint4 v = __ldg(p + i);
            uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int j = 0; j < 4; j++) {
                float2 pair = __half22float2(*(const __half2*) &words[j]);
                w[8 * i + 2 * j] = pair.x;
                w[8 * i + 2 * j + 1] = pair.y;
            }
        }
    }

    static __device__ __forceinline__ float one(const uint8_t* row, int i) {
        return half16(row + 2 * (size_t) i);
    }
};

template <> struct Unit<30> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint4* p = (const uint4*) row + 2 * u;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            uint4 v = __ldg(p + i);
            uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int j = 0; j < 4; j++) {
                w[8 * i + 2 * j] = __uint_as_float(words[j] << 16);
                w[8 * i + 2 * j + 1] = __uint_as_float(words[j] & 0xffff0000u);
            }
        }
    }

    static __device__ __forceinline__ float one(const uint8_t* row, int i) {
        return __uint_as_float(u16(row + 2 * (size_t) i) << 16);
    }
};

// Q4_0: d, nibbles.
template <> struct Unit<2> {
    static constexpr int STRIDE = 16;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 18 * (size_t) (u >> 1);
        float d = half16(block);
        Bytes8 q = load8<2>(block + 2 + 8 * (u & 1));
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w[i] = d * ((int) (q.at(i) & 15) - 8);
            w[8 + i] = d * ((int) (q.at(i) >> 4) - 8);
        }
    }
};

// Q4_1: d, m, nibbles.
template <> struct Unit<3> {
    static constexpr int STRIDE = 16;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 20 * (size_t) (u >> 1);
        float d = half16(block);
        float m = half16(block + 2);
        Bytes8 q = load8<4>(block + 4 + 8 * (u & 1));
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w[i] = affine<EXACT>(d, q.at(i) & 15, m);
            w[8 + i] = affine<EXACT>(d, q.at(i) >> 4, m);
        }
    }
};

// Q5_0: d, fifth bits, nibbles.
template <> struct Unit<6> {
    static constexpr int STRIDE = 16;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 22 * (size_t) (u >> 1);
        float d = half16(block);
        uint32_t fifth = u32by2(block + 2) >> 8 * (u & 1);
        Bytes8 q = load8<2>(block + 6 + 8 * (u & 1));
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w[i] = d * ((int) ((q.at(i) & 15) | (fifth >> i & 1) << 4) - 16);
            w[8 + i] = d * ((int) (q.at(i) >> 4 | (fifth >> (16 + i) & 1) << 4) - 16);
        }
    }
};

// Q5_1: d, m, fifth bits, nibbles.
template <> struct Unit<7> {
    static constexpr int STRIDE = 16;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 24 * (size_t) (u >> 1);
        uint2 head = __ldg((const uint2*) block);
        float d = __half2float(__ushort_as_half((unsigned short) head.x));
        float m = __half2float(__ushort_as_half((unsigned short) (head.x >> 16)));
        uint32_t fifth = head.y >> 8 * (u & 1);
        Bytes8 q = load8<8>(block + 8 + 8 * (u & 1));
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w[i] = affine<EXACT>(d, (q.at(i) & 15) | (fifth >> i & 1) << 4, m);
            w[8 + i] = affine<EXACT>(d, q.at(i) >> 4 | (fifth >> (16 + i) & 1) << 4, m);
        }
    }
};

// Q8_0: d, signed bytes.
template <> struct Unit<8> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 34 * (size_t) (u >> 1);
        float d = half16(block);
        Bytes8 a = load8<2>(block + 2 + 16 * (u & 1));
        Bytes8 b = load8<2>(block + 10 + 16 * (u & 1));
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w[i] = d * (int8_t) a.at(i);
            w[8 + i] = d * (int8_t) b.at(i);
        }
    }
};

// Q2_K: scales and minima, crumbs, d, dmin.
template <> struct Unit<10> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 84 * (size_t) (u >> 4);
        int r = u & 15;
        int s = __ldg(block + r);
        float scale = half16(block + 80) * (s & 15);
        float offset = half16(block + 82) * (s >> 4);
        const uint8_t* q = block + 16 + 32 * (r >> 3) + 16 * (r & 1);
        int shift = 2 * (r >> 1 & 3);
        Bytes8 a = load8<4>(q);
        Bytes8 b = load8<4>(q + 8);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w[i] = affine<EXACT>(scale, a.at(i) >> shift & 3, -offset);
            w[8 + i] = affine<EXACT>(scale, b.at(i) >> shift & 3, -offset);
        }
    }
};

// Q3_K: third bits, crumbs, 6-bit scales, d.
template <> struct Unit<11> {
    static constexpr int STRIDE = 8;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 110 * (size_t) (u >> 4);
        int r = u & 15;
        int low = __ldg(block + 96 + (r & 7)) >> 4 * (r >> 3) & 15;
        int high = __ldg(block + 104 + (r & 3)) >> 2 * (r >> 2) & 3;
        float scale = half16(block + 108) * ((low | high << 4) - 32);
        const uint8_t* q = block + 32 + 32 * (r >> 3) + 16 * (r & 1);
        const uint8_t* third = block + 16 * (r & 1);
        int shift = 2 * (r >> 1 & 3);
        int bit = r >> 1;
#pragma unroll
        for (int part = 0; part < 2; part++) {
            Bytes8 v = load8<2>(q + 8 * part);
            Bytes8 h = load8<2>(third + 8 * part);
#pragma unroll
            for (int i = 0; i < 8; i++) {
                w[8 * part + i] = scale * ((int) (v.at(i) >> shift & 3) - ((h.at(i) >> bit & 1) ? 0 : 4));
            }
        }
    }
};

// The 6-bit scale and minimum of group j of Q4_K and Q5_K, from the three words that hold them.
__device__ __forceinline__ void scaleAndMinimum(uint32_t s0, uint32_t s1, uint32_t s2, int j, int& scale, int& minimum) {
    int shift = 8 * (j & 3);
    uint32_t a = s0 >> shift & 255;
    uint32_t b = s1 >> shift & 255;
    uint32_t c = s2 >> shift & 255;
    scale = j < 4 ? a & 63 : (c & 15) | (a >> 6) << 4;
    minimum = j < 4 ? b & 63 : c >> 4 | (b >> 6) << 4;
}

// Q4_K: d, dmin, 6-bit scales and minima, nibbles.
template <> struct Unit<12> {
    static constexpr int STRIDE = 32;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 144 * (size_t) (u >> 4);
        int r = u & 15;
        uint4 head = __ldg((const uint4*) block);
        Bytes8 q = load8<8>(block + 16 + 8 * r);
        float d = __half2float(__ushort_as_half((unsigned short) head.x));
        float min = __half2float(__ushort_as_half((unsigned short) (head.x >> 16)));
        int group = r >> 2 << 1;
        int s0, m0, s1, m1;
        scaleAndMinimum(head.y, head.z, head.w, group, s0, m0);
        scaleAndMinimum(head.y, head.z, head.w, group + 1, s1, m1);
        float scale0 = d * s0;
        float scale1 = d * s1;
        float offset0 = -(min * m0);
        float offset1 = -(min * m1);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w[i] = affine<EXACT>(scale0, q.at(i) & 15, offset0);
            w[8 + i] = affine<EXACT>(scale1, q.at(i) >> 4, offset1);
        }
    }
};

// Q5_K: as Q4_K with fifth bits.
template <> struct Unit<13> {
    static constexpr int STRIDE = 32;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 176 * (size_t) (u >> 4);
        int r = u & 15;
        uint4 head = __ldg((const uint4*) block);
        Bytes8 fifth = load8<8>(block + 16 + 8 * (r & 3));
        Bytes8 q = load8<8>(block + 48 + 8 * r);
        float d = __half2float(__ushort_as_half((unsigned short) head.x));
        float min = __half2float(__ushort_as_half((unsigned short) (head.x >> 16)));
        int group = r >> 2 << 1;
        int s0, m0, s1, m1;
        scaleAndMinimum(head.y, head.z, head.w, group, s0, m0);
        scaleAndMinimum(head.y, head.z, head.w, group + 1, s1, m1);
        float scale0 = d * s0;
        float scale1 = d * s1;
        float offset0 = -(min * m0);
        float offset1 = -(min * m1);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w[i] = affine<EXACT>(scale0, (q.at(i) & 15) | (fifth.at(i) >> group & 1) << 4, offset0);
            w[8 + i] = affine<EXACT>(scale1, q.at(i) >> 4 | (fifth.at(i) >> (group + 1) & 1) << 4, offset1);
        }
    }
};

// Q6_K: low nibbles, upper two bits, signed scales of 16 elements, d.
template <> struct Unit<14> {
    static constexpr int STRIDE = 64;

    template <bool EXACT> static __device__ __forceinline__ void decode(const uint8_t* row, int u, const int8_t*, float* w) {
        const uint8_t* block = row + 210 * (size_t) (u >> 4);
        int r = u & 15;
        int s = r & 7;
        Bytes8 q = load8<2>(block + 8 * r);
        Bytes8 upper = load8<2>(block + 128 + 32 * (r >> 3) + 8 * (s & 3));
        const uint8_t* scales = block + 192 + 8 * (r >> 3) + (s >> 1);
        float d = half16(block + 208);
        float scale0 = d * (int8_t) __ldg(scales);
        float scale1 = d * (int8_t) __ldg(scales + 4);
        int shift = 2 * (s >> 2);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w[i] = scale0 * ((int) ((q.at(i) & 15) | (upper.at(i) >> shift & 3) << 4) - 32);
            w[8 + i] = scale1 * ((int) (q.at(i) >> 4 | (upper.at(i) >> (shift + 4) & 3) << 4) - 32);
        }
    }
};
