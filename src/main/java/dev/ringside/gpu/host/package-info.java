/** The CPU backend: "device" memory is off-heap memory, kernels use the Vector API on quantised blocks in place. */
@NullMarked
package dev.ringside.gpu.host;

import org.jspecify.annotations.NullMarked;
