package dev.ringside.gpu;

/** A SwiGLU feed-forward network: {@code down * (silu(gate * x) . (up * x))}. */
public record FeedForward(Matrix gate, Matrix up, Matrix down) {}
