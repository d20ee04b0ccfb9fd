package dev.ringside.gpu;

/**
 * Bytes held from a backend at one moment.
 *
 * @param allocatedBytes activations, sequence state and other ledger allocations
 * @param arenaBytes expert arenas, which are outside the ledger
 * @param pinnedBytes page-locked host memory
 * @param weightBytes dense weights placed for kernels (mapped in place on the CPU backend)
 */
public record DeviceMemory(long allocatedBytes, long arenaBytes, long pinnedBytes, long weightBytes) {}
