/** The command line: serve, inspect, synthesize and bench. */
@NullMarked
package dev.ringside.cli;

import org.jspecify.annotations.NullMarked;
