/** The device: memory, streams and copies ({@link dev.ringside.gpu.GpuBackend}) and the maths on them ({@link dev.ringside.gpu.Kernels}). */
@NullMarked
package dev.ringside.gpu;

import org.jspecify.annotations.NullMarked;
