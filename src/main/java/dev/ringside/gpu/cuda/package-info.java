/** The CUDA backend: device memory, streams, copies and own kernels on the driver API of JCuda. */
@NullMarked
package dev.ringside.gpu.cuda;

import org.jspecify.annotations.NullMarked;
