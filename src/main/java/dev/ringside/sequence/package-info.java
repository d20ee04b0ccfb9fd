/**
 * What a sequence keeps between steps: tokens, position, pages of positional state and planes of recurrent state
 * ({@link dev.ringside.sequence.SequenceState}), taken from one pool ({@link dev.ringside.sequence.StatePool}).
 */
@NullMarked
package dev.ringside.sequence;

import org.jspecify.annotations.NullMarked;
