package dev.ringside.gpu;

/**
 * What is known of the device a backend runs on.
 *
 * @param backend {@code cpu} or {@code cuda}
 * @param name the device's own name
 * @param detail one line for logs and health: vector width, threads, driver, compute capability
 * @param unifiedMemory whether kernels read host memory as fast as their own (integrated GPUs and the CPU)
 * @param totalBytes device memory in bytes
 */
public record DeviceInfo(String backend, String name, String detail, boolean unifiedMemory, long totalBytes) {}
