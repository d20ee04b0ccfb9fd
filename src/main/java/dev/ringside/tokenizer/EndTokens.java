package dev.ringside.tokenizer;

import java.util.BitSet;
import java.util.OptionalInt;

/** The tokens that begin and end texts. */
record EndTokens(OptionalInt bos, boolean addBos, int eos, boolean addEos, BitSet endOfGeneration) {}
