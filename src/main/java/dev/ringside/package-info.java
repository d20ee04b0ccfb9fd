/** Ringside: a server for mixture-of-experts language models that are larger than the GPU. */
@NullMarked
package dev.ringside;

import org.jspecify.annotations.NullMarked;
