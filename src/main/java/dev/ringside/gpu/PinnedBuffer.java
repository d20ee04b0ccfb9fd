package dev.ringside.gpu;

import java.lang.foreign.MemorySegment;

/**
 * Page-locked host memory: the CPU uses {@code memory}, kernels and copy engines use {@code device}. Both name the same bytes.
 *
 * @param memory the bytes as the CPU sees them
 * @param device the same bytes as kernels see them
 */
public record PinnedBuffer(MemorySegment memory, DevicePtr device) {}
