/** Model architectures: hyper-parameters, weights and forward passes. */
@NullMarked
package dev.ringside.model;

import org.jspecify.annotations.NullMarked;
