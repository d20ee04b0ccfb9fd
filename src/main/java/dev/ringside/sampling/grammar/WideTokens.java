package dev.ringside.sampling.grammar;

/**
 * The tokens that can follow in an automaton state that many bytes lead on from, whatever the stack: those that stay within the rule, and the trie
 * nodes at which the rule may end, behind which the stack decides.
 */
record WideTokens(long[] inside, int[] exits) {}
