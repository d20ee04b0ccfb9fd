// Keys and values of an attention layer as they lie in the pages of sequences.
#pragma once

struct Shape {
    int heads, kvHeads, headSize, gated;
    int pageTokens, vectorised;
    long long keyOffset, valueOffset;
};
