/** The one thread that owns the device: composes steps of many sequences, samples, and delivers text. */
@NullMarked
package dev.ringside.engine;

import org.jspecify.annotations.NullMarked;
