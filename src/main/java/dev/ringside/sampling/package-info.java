/** From logits to a token: penalties, bias, filters, and the draw. */
@NullMarked
package dev.ringside.sampling;

import org.jspecify.annotations.NullMarked;
