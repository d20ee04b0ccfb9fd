/** Configuration and wiring: the one place where all parts meet. */
@NullMarked
package dev.ringside.config;

import org.jspecify.annotations.NullMarked;
