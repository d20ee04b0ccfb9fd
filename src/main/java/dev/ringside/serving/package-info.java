/** Between HTTP and the engine: admission, queueing, cancellation, resilience. */
@NullMarked
package dev.ringside.serving;

import org.jspecify.annotations.NullMarked;
