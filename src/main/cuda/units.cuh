// The stored type that a module of products is compiled for (-DQUANT=id): units of 16 elements, and single elements of plain types.
#pragma once

#include "decode_tables.cuh"

static constexpr bool PLAIN = QUANT == 0 || QUANT == 1 || QUANT == 30;
typedef Unit<QUANT> W;

__device__ __forceinline__ int baseOf(int u) {
    return 2 * W::STRIDE * (u / (W::STRIDE / 8)) + 8 * (u % (W::STRIDE / 8));
}

template <int TYPE> struct Tail {
    static __device__ __forceinline__ float one(const uint8_t*, int) {
        return 0.0f;
    }
};
template <> struct Tail<0> : Unit<0> {
};
template <> struct Tail<1> : Unit<1> {
};
template <> struct Tail<30> : Unit<30> {
};
