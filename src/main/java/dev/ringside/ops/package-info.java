/** What operators see: Actuator endpoints, health and meters, all read from published snapshots. */
@NullMarked
package dev.ringside.ops;

import org.jspecify.annotations.NullMarked;
